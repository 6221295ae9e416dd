import EntitlementValues
import Testing

@Suite struct ForeignEncodingTests {
    private static let base64 = String(repeating: "QUJDREVGR0hJSktM", count: 22)
    private static let lines = [76, 76, 48].map { String(base64.prefix($0)) }

    static let texts: [(text: String, encoding: ForeignEncoding?)] = [
        (base64, nil), ("", nil), (" \n", nil), ("Bearer x", nil), ("100% sure", nil), ("A & B; C", nil), ("é", nil),
        (#"\u003csignatureInfo\u003e"#, .escapes), (#"QUJD\/QUJD"#, .escapes), (#"QUJD\nQUJD"#, .escapes),
        ("QUJD&#x2B;QUJD", .characterReferences), ("&lt;signatureInfo&gt;", .characterReferences),
        ("QUJD&#43;", .characterReferences), ("b'\(base64)'", .pythonBytes), (#"b"QUJD""#, .pythonBytes),
        ("\"\(base64)\"", .quotationMarks), ("'QUJD'", .quotationMarks), ("QUJD%2BQUJD", .percentEncoding),
        ("%253CsignatureInfo%253E", .doublePercentEncoding), ("QUJD%252BQUJD", .doublePercentEncoding),
        ("QUJD%25", .percentEncoding), (String(repeating: "0aF9", count: 16), .hexadecimal),
        ("0x" + String(repeating: "0aF9", count: 16), .hexadecimal),
        (#"\x"# + String(repeating: "0aF9", count: 16), .hexadecimal),
        (String(repeating: "0aF9", count: 15), nil), (String(repeating: "0aF9", count: 16) + "0", nil),
        (lines.joined(separator: " "), .joinedLines), ("\u{FEFF}" + lines.joined(separator: " ") + "\n", .joinedLines),
        // Spaces where forms have lost a plus.
        ("QUJD QUJDREVG \(base64)", nil), (lines.joined(separator: "  "), nil),
    ]

    @Test(arguments: texts.indices)
    func `What was done to a text is recognised`(_ index: Int) {
        let (text, encoding) = Self.texts[index]
        let bytes = Array(text.utf8)
        let found = ForeignEncoding(of: bytes.span)
        #expect(found == encoding, "\(text)")
        #expect(found?.description.contains("QUJD") != true)
    }

    @Test func `UTF-16 is recognised`() {
        let text: [UInt8] = "PHNp".utf8.flatMap { [$0, 0] }
        let marked: [UInt8] = [0xFF, 0xFE] + text
        let found = [ForeignEncoding(of: text.span), ForeignEncoding(of: marked.span)]
        #expect(found == [.utf16, .utf16])
    }

    @Test func `Among bytes at random nothing is recognised`() {
        let bytes: [UInt8] = [0x5C, 0x01, 0x25, 0x32, 0x42, 0x26, 0x6C, 0x74, 0x3B]
        let found = ForeignEncoding(of: bytes.span)
        #expect(found == nil)
    }

    /// Otherwise a long text would be read twice for one sentence.
    @Test func `Only the beginning is read`() {
        let far = Array((String(repeating: "Q", count: 1024) + #"\u003c"#).utf8)
        let found = ForeignEncoding(of: far.span)
        #expect(found == nil)
    }
}
