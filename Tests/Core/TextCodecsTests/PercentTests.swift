import Testing
import TextCodecs

@Suite struct PercentTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("a%20b", "a b"), ("%41%5a%7A", "AZz"), ("a+b", "a+b"), ("%2B", "+"),
        ("%25%32%30", "%20"), ("%c3%A9", "\u{E9}"),
    ])
    func `Escapes are decoded once and nothing else is`(_ encoded: String, _ plain: String) {
        #expect(Percent.decode(Array(encoded.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: ["%", "%4", "a%", "a%4", "%G0", "%0G", "% 1", "%+1", "%%41"])
    func `Broken escapes are refused`(_ encoded: String) {
        #expect(Percent.decode(Array(encoded.utf8)) == nil)
    }

    @Test func `Only the range is decoded`() {
        let text = Array("%zz%41+%".utf8)
        #expect(Percent.decode(text.span, in: 3..<7) == Array("A+".utf8))
        #expect(Percent.decode(text.span, in: 3..<5) == nil)
    }

    @Test func `A plus is a space from a place in the result on`() {
        let text = Array("+%2B+%41+".utf8)
        #expect(Percent.decode(text.span, in: 0..<text.count, plusIsSpaceFrom: 2) == Array("++ A ".utf8))
        #expect(Percent.decode(text.span, in: 0..<text.count, plusIsSpaceFrom: 0) == Array(" + A ".utf8))
    }

    @Test func `Every byte survives`() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Percent.encode(bytes)
        #expect(Percent.decode(Array(text.utf8)) == bytes)
        // RFC 3986 §2.3, in the order of ASCII.
        let unreserved = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(bytes.filter { Percent.encode([$0]).utf8.count == 1 } == Array(unreserved.utf8))
        #expect(Percent.encode([0x2F, 0xAB]) == "%2F%AB")
        #expect(Percent.encode("a b".utf8, leaving: { $0 == 0x20 }) == "%61 %62")
    }

    @Test(arguments: [
        ("REF30", "REF30"), ("a/b", "a%2Fb"), ("a b?c#d", "a%20b%3Fc%23d"), ("50%", "50%25"), ("é", "%C3%A9"),
        ("...", "..."), ("a;b=c,d@e:f", "a%3Bb%3Dc%2Cd%40e%3Af"), ("../x", "..%2Fx"),
    ])
    func `A path segment has nothing that ends it`(_ text: String, _ segment: String) {
        #expect(Percent.encode(pathSegment: text) == segment)
    }

    @Test(arguments: ["", ".", ".."])
    func `What is not a segment has no encoding`(_ text: String) {
        #expect(Percent.encode(pathSegment: text) == nil)
    }
}
