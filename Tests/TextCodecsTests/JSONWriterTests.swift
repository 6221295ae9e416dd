import Testing
import TextCodecs

@Suite struct JSONWriterTests {
    private static let text = "a\"\\/\n\r\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}é"

    private func written(_ escaping: JSONWriter.Escaping = .lineSafe, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(escaping: escaping)
        write(&writer)
        return String(decoding: writer.finished, as: UTF8.self)
    }

    @Test func minimalEscapingLeavesAllThatJSONAllows() {
        #expect(
            written(.minimal) { $0.member("x", Self.text) }
                == "{\"x\":\"" + #"a\"\\/\n\r\t\u0000\u001f\u007f"# + "\u{85}\u{2028}é\"}")
    }

    @Test func lineSafeEscapingLeavesNoOtherLineEnd() {
        let string = #""a\"\\/\n\r\t\u0000\u001f\u007f\u0085\u2028é""#
        #expect(written { $0.member("x", Self.text) } == "{\"x\":\(string)}")
        #expect(String(decoding: JSONWriter.string(Self.text), as: UTF8.self) == string)
    }

    @Test func commasStandBetweenMembersAndElementsOnly() {
        #expect(written { _ in } == "{}")
        var inner = JSONWriter()
        inner.member("n", -1)
        let text = written { writer in
            writer.member("a", "")
            writer.member("b", true)
            writer.member("c", inner)
            writer.member("d", [inner, inner])
            writer.member("e", [])
            writer.name("f")
            writer.array { writer in
                writer.value(1)
                writer.array { _ in }
                writer.object { _ in }
                writer.object { $0.member("x", raw: "null".utf8) }
                writer.value(false)
            }
            writer.member("g", 2)
        }
        #expect(
            text == #"{"a":"","b":true,"c":{"n":-1},"d":[{"n":-1},{"n":-1}],"e":[],"#
                + #""f":[1,[],{},{"x":null},false],"g":2}"#)
    }
}
