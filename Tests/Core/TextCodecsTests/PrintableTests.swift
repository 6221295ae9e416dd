import Testing
import TextCodecs

@Suite struct PrintableTests {
    /// Pairs that a reader may take for one text, and how a message shows them.
    static let pairs: [(one: String, other: String, shown: (String, String))] = [
        ("Canal\u{A0}Sur", "Canal Sur", (#""Canal\u{a0}Sur""#, #""Canal Sur""#)),
        ("a\u{2009}b", "a\u{2007}b", (#""a\u{2009}b""#, #""a\u{2007}b""#)),
        ("\u{E9}", "e\u{301}", (#""\u{e9}""#, #""e\u{301}""#)),
        ("\u{420}EF30", "REF30", (#""\u{420}EF30""#, #""REF30""#)),
        ("a\u{430}", "\u{430}a", (#""a\u{430}""#, #""\u{430}a""#)),
        ("REF\u{200B}30", "REF30", (#""REF\u{200b}30""#, #""REF30""#)),
        ("REF\u{FE0F}30", "REF30", (#""REF\u{fe0f}30""#, #""REF30""#)),
        ("\u{202E}REF30", "REF30", (#""\u{202e}REF30""#, #""REF30""#)),
        ("a\u{3164}", "a\u{2800}", (#""a\u{3164}""#, #""a\u{2800}""#)),
        (#"a\u{a0}"#, "a\u{A0}", (#""a\\u{a0}""#, #""a\u{a0}""#)),
        ("x\u{E9}\u{301}", "x\u{301}", (#""x\u{e9}\u{301}""#, "\"x\u{301}\"")),
        ("Fútbol 1", "Fútbol 2", (#""Fútbol 1""#, #""Fútbol 2""#)),
        ("é\u{A0}1", "é\u{A0}2", (#""é\u{a0}1""#, #""é\u{a0}2""#)),
        ("a\n", "a", (#""a\u{a}""#, #""a""#)), ("", "a", ("\"\"", #""a""#)),
    ]

    @Test(arguments: pairs.indices)
    func `Texts that differ never look the same`(_ index: Int) {
        let pair = Self.pairs[index]
        let shown = String.quotedApart(pair.one, pair.other)
        #expect(shown.one.utf8.elementsEqual(pair.shown.0.utf8), "\(shown.one)")
        #expect(shown.other.utf8.elementsEqual(pair.shown.1.utf8), "\(shown.other)")
        let reversed = String.quotedApart(pair.other, pair.one)
        #expect(reversed.one.utf8.elementsEqual(shown.other.utf8) && reversed.other.utf8.elementsEqual(shown.one.utf8))
    }

    @Test func `Of several texts, what all of them share is shown`() {
        let shown = String.quotedApart(["A\u{F1}o 1"], ["A\u{F1}o 2", "Ano\u{303} 2"])
        #expect(shown.one == [#""A\u{f1}o 1""#])
        #expect(shown.other == [#""A\u{f1}o 2""#, #""Ano\u{303} 2""#])
        #expect(String.quotedApart(["A\u{F1}o"], []).one == ["\"A\u{F1}o\""])
        #expect(String.quotedApart([], []).other.isEmpty)
    }

    @Test(arguments: [("\u{FEFF}{}", 3), ("{}", 0), ("\u{FEFF}", 3), ("", 0), ("\u{FEFF}\u{FEFF}", 3)])
    func `One byte order mark is not part of a text`(_ text: String, _ start: Int) {
        let bytes = Array(text.utf8)
        let range = bytes.span.afterByteOrderMark
        #expect(range == start..<bytes.count)
        #expect(Array(text.withoutByteOrderMark.utf8) == Array(bytes.dropFirst(start)))
    }

    @Test func `UTF-16 is recognised with and without its mark`() {
        let utf16: [[UInt8]] = [
            [0xFF, 0xFE], [0xFE, 0xFF, 0, 0x50], [0x50, 0, 0x48, 0], [0, 0x50, 0, 0x48], [0xFF, 0xFE, 0x50, 0],
        ]
        #expect(utf16.filter { !$0.span.looksLikeUTF16 } == [])
        let others: [[UInt8]] = [
            [], [0], [0x50], [0, 0], [0, 0, 0, 0], [0x50, 0], [0x50, 0, 0, 0x48], [0x50, 0x48, 0x4E, 0x70],
            [0xEF, 0xBB, 0xBF, 0x50], [0x30, 0x82, 0x01, 0x00],
        ]
        #expect(others.filter { $0.span.looksLikeUTF16 } == [])
    }
}
