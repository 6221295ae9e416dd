import ServiceResponses
import Testing

@Suite struct AuthenticationCodeTests {
    @Test(arguments: [
        "K7QP4DX", "k7qp4dx", " k7q-p4dx ", "K7Q\u{2013}P4DX", "K7Q \u{2014} P4DX", "K7Q\u{2212}P4DX", "K7Q\u{A0}P4DX",
        "K7Q\u{3000}P4DX", "K7QP4DX.", "K7QP4DX\u{3002}", "K7Q\u{FF0E}P4DX\u{FF61}", "K7Q\u{FF0D}P4DX",
        "\u{FF2B}\u{FF17}\u{FF31}\u{FF30}\u{FF14}\u{FF24}\u{FF38}", "\u{FF4B}7qp\u{FF14}dx", "\tK7QP4DX\r\n",
        "\u{200E}K7QP4DX\u{200B}",
    ])
    func `A code is found as people and keyboards write it`(_ typed: String) {
        #expect(AuthenticationCode(typed: typed)?.text == "K7QP4DX")
    }

    /// A code has letters and digits of ASCII alone; what only looks like one of them was not read from a screen.
    @Test(arguments: [
        "", "   ", "K7Q", "K7QP4DXK7QP4DXK7Q", "K7QP4D\u{425}", "\u{212A}7QP4DX", "K7QP\u{664}DX", "K7QP4D\u{DF}",
        "K7QP4D\u{1D54F}", "K7QP4D\u{24CD}", "K7QP4DX/", "K7QP4DX\u{301}", "K7Q_P4DX", "K7QP4DX\0", "\u{FF01}K7QP4DX",
    ])
    func `Nothing else is taken for a letter or a digit`(_ typed: String) {
        #expect(AuthenticationCode(typed: typed) == nil)
    }

    @Test func `A long text is not read`() {
        #expect(AuthenticationCode(typed: String(repeating: "-", count: 249) + "K7QP4DX")?.text == "K7QP4DX")
        #expect(AuthenticationCode(typed: String(repeating: "-", count: 250) + "K7QP4DX") == nil)
    }
}
