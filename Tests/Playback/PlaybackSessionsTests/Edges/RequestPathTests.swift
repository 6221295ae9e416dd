import PlaybackSessions
import Testing
import TextCodecs

/// Segments as requests spell them, each between two slashes.
@Suite struct `A segment of a path` {
    @Test(arguments: [
        "", ".", "..", "...", "%2e%2e", ".%2E", "..;", "..;x=1", ";x", "..%3B", "..%3Fx", "%3Fx", "..%23x", ".%23",
        // White space.
        "..%20", "%20..", ".%20.", "%20", "..%09", "..%0B", "..%0d%0a", "+", "..+", "+.+.+", "..%2B", "..%C2%A0",
        "%c2%a0..", "..%C2%85", "..%E1%9A%80", "..%E2%80%80", "..%E2%80%8A", "..%E2%80%A8", "..%E2%80%A9",
        "..%E2%80%AF", "..%E2%81%9F", "..%E3%80%80", "..%C2%A0;x",
        // What shows nothing: soft hyphen, joiners, marks of direction, fillers, selectors, tags, controls.
        "..%C2%AD", ".%CD%8F.", "..%E1%85%9F", "..%E1%A0%8E", ".%E2%80%8B.", "%E2%80%8D..", "..%E2%80%8F",
        "..%E2%81%A0", "..%E3%85%A4", "..%EF%B8%8F", "..%EF%BB%BF", "..%EF%BF%BB", "..%F3%A0%81%81", "..%00", "..%7F",
        "..%C2%9B", "..%D8%9C", "%EF%BB%BF",
        // Bytes that are not UTF-8, of which the first is a no-break space in Latin-1.
        "..%A0", "..%FF", "%C0%AE%C0%AE", "..%EF%BF%BD",
        // Dots of other forms.
        "%E2%80%A4%E2%80%A4", "%E2%80%A5", "%E2%80%A6", ".%EF%BC%8E", "%EF%B9%92.", "%EF%B8%B0", "%EF%B8%99",
        "%EF%BC%8E%C2%A0.", "..%EF%BC%9Bx", "..%CD%BE", "..%EF%B9%94", "..%EF%BC%9F", "..%EF%B9%96", "..%E2%81%88",
        "..%EF%BC%83", "..%EF%B9%9F", "..%EF%BC%8B", "..%EF%B9%A2",
        // Slashes and backslashes.
        "x%2F..", "x%5cy", "x%EF%BC%8Fy", "..%EF%BC%8F..", "x%EF%BC%BCy", "x%EF%B9%A8y", "x%E2%81%84y", "x%E2%88%95y",
        "x%E2%88%96y", "x%E2%84%80", "x;%EF%BC%8F..",
        // All that once more, or in parts.
        "%252e%252e", "%25252e.", "..%2525252F", "..%25C2%25A0", "..%25c2%2525a0", "%25%32e.", "%25%2532e.",
        "%252%65.", "..%25EF%25BC%258F", "%EF%BC%852e.", "%EF%BC%85%EF%BC%92%EF%BD%85.", "%EF%B9%AA2e.",
        "%252%E2%80%8Be.", "%E2%80%A5%253B",
    ])
    func `With another reading is recognised`(_ spelling: String) throws {
        #expect(RequestPath.hasOtherReading(try resolved(spelling)))
    }

    @Test(arguments: [
        "a", "a.ts", ".a", "..a", "a..", "1..2", "...a", "-", "_", "~", "a;v=1", "a%3Bb", "a%3F", "a%23", "a+b",
        "a%20b", "%20a", "100%25", "%25", "50%25%20off", "%25zz", "a%252Bb", "%C3%A9", "%CC%81", "%E6%97%A5%E6%9C%AC",
        "Wait%E2%80%A6", "%EF%BC%AE%EF%BC%A8%EF%BC%AB", "..%C3%A9", "..%CC%81", "%C2%BD", "%C2%B7", "%E2%80%A2",
        "%E3%80%82", "..%2A", "..~", "a%C2%A0b", "%F0%9F%93%BA",
    ])
    func `With one reading is none of those`(_ spelling: String) throws {
        #expect(!RequestPath.hasOtherReading(try resolved(spelling)))
    }

    /// Each round uncovers the next escape; the last ones are never looked at.
    @Test func `That takes many rounds counts as one with another reading`() {
        let start = String(repeating: "%2", count: 100)
        let end = String(repeating: "\u{200B}0", count: 99) + "\u{200B}e"
        #expect(RequestPath.hasOtherReading(Array("a\(start)\(end)".utf8)))
        // Escapes alone take one round, however many there are.
        #expect(!RequestPath.hasOtherReading(Array("a%\(String(repeating: "25", count: 10_000))41".utf8)))
    }

    /// A newer standard library may know characters that the table lacks; then the table is to be renewed.
    @Test func `Is judged without anything that shows nothing`() {
        let kept = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
            let properties = scalar.properties
            let isUnseen =
                properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || [.control, .format].contains(properties.generalCategory)
            return isUnseen && !RequestPath.isDropped(scalar.value)
        }
        #expect(kept.isEmpty)
    }

    private func resolved(_ spelling: String) throws -> [UInt8] {
        try #require(Percent.decode(Array(spelling.utf8)), "a broken escape is refused before")
    }
}
