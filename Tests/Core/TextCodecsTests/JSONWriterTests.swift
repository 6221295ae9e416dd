import Testing
import TextCodecs

@Suite struct JSONWriterTests {
    private static let text = "a\"\\/\n\r\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}é"

    private func written(_ escaping: JSONWriter.Escaping = .lineSafe, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(escaping: escaping)
        write(&writer)
        return String(decoding: writer.finished, as: UTF8.self)
    }

    @Test func `Minimal escaping leaves all that JSON allows`() {
        #expect(
            written(.minimal) { $0.member("x", Self.text) }
                == "{\"x\":\"" + #"a\"\\/\n\r\t\u0000\u001f\u007f"# + "\u{85}\u{2028}é\"}")
    }

    @Test func `Line-safe escaping leaves no other line end`() {
        let string = #""a\"\\/\n\r\t\u0000\u001f\u007f\u0085\u2028é""#
        #expect(written { $0.member("x", Self.text) } == "{\"x\":\(string)}")
        #expect(String(decoding: JSONWriter.string(Self.text), as: UTF8.self) == string)
    }

    /// What hides or reorders text for a person is visible, also beyond the BMP, and reads as the same text.
    @Test func `Format characters are escaped`() throws {
        let text = "a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}e\u{AD}f\u{61C}g\u{E0041}h日本é👩‍👩"
        let escaped = #""a\u202eb\u2066c\u200bd\ufeffe\u00adf\u061cg\udb40\udc41h日本é👩\u200d👩""#
        #expect(String(decoding: JSONWriter.string(text), as: UTF8.self) == escaped)
        let member = "{\"x\":\(escaped)}".utf8
        let bytes = Array(member)
        let read = try bytes.withSpan { bytes throws(JSONFault) in
            try JSONObject(bytes, in: 0..<bytes.count).string("x", in: bytes)
        }
        #expect(read == text)
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .format else { continue }
            #expect(JSONWriter.string(String(scalar)).allSatisfy { $0 < 0x80 }, "U+\(String(value, radix: 16))")
        }
    }

    @Test func `Objects inside are escaped as the one around them`() {
        let text = written(.minimal) { writer in
            writer.member("a") { $0.member("x", "\u{2028}") }
            writer.member("b", objects: 0..<2) { $1.member("n", $0) }
            writer.member("c", objects: [Int]()) { $1.member("n", $0) }
        }
        #expect(text == "{\"a\":{\"x\":\"\u{2028}\"},\"b\":[{\"n\":0},{\"n\":1}],\"c\":[]}")
    }

    @Test func `Commas stand between members and elements only`() {
        #expect(written { _ in } == "{}")
        var inner = JSONWriter()
        inner.member("n", -1)
        let text = written { writer in
            writer.member("a", "")
            writer.member("b", true)
            writer.member("c", inner)
            writer.member("d", [inner, inner])
            writer.member("e", [JSONWriter]())
            writer.name("f")
            writer.array { writer in
                writer.value(1)
                writer.array { _ in }
                writer.object { _ in }
                writer.object { $0.member("x", raw: "null".utf8) }
                writer.value(false)
            }
            writer.member("g", ["", "x"])
            writer.member("h", [String]())
            writer.member("i", objects: [1, 2]) { $1.member("n", $0) }
            writer.member("j", objects: EmptyCollection<Int>()) { $1.member("n", $0) }
            writer.member("k", 2)
        }
        #expect(
            text == #"{"a":"","b":true,"c":{"n":-1},"d":[{"n":-1},{"n":-1}],"e":[],"#
                + #""f":[1,[],{},{"x":null},false],"g":["","x"],"h":[],"i":[{"n":1},{"n":2}],"j":[],"k":2}"#)
    }
}
