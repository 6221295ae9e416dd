import EntitlementValues
import Testing

@Suite struct JSONReaderTests {
    @Test func elementsOfAnArrayStayWhereTheyAre() throws {
        let text = Array(#"{"x": [1, "a,]", [2, 3], {"y": 4}, null ]}"#.utf8)
        let members = try JSONReader.members(of: text.span, in: 0..<text.count)
        let array = try #require(members[Array("x".utf8)])
        let elements = try JSONReader.elements(of: text.span, in: array.range)
        #expect(elements.map(\.kind) == [.number, .string, .array, .object, .null])
        #expect(elements.map { String(decoding: text[$0.range], as: UTF8.self) }.dropFirst(2).first == "[2, 3]")
    }

    @Test func anEmptyArrayHasNoElements() throws {
        let text = Array("[ ]".utf8)
        #expect(try JSONReader.elements(of: text.span, in: 0..<text.count).isEmpty)
    }

    @Test(arguments: ["[1,]", "[1", "[,]", "{}", "", "[01]"])
    func whatIsNoArrayIsRefused(_ text: String) {
        let octets = Array(text.utf8)
        #expect(throws: JSONFault.self) { try JSONReader.elements(of: octets.span, in: 0..<octets.count) }
    }

    @Test(arguments: [
        (" {\"a\": [1]} \n", JSONValue.Kind.object), ("[]", .array), ("\"x\"", .string), ("-1.5e3", .number),
        ("true", .boolean), ("null", .null),
    ])
    func oneValueIsRead(_ text: String, _ kind: JSONValue.Kind) throws {
        let octets = Array(text.utf8)
        let value = try JSONReader.value(of: octets.span, in: 0..<octets.count)
        #expect(value.kind == kind)
        let found = String(decoding: octets[value.range], as: UTF8.self)
        #expect(found == text.trimmingPrefix(" ").replacing(" \n", with: ""))
    }

    @Test(arguments: ["", " ", "{} {}", "[1]x", "[1", "{\"a\"}", "truex", "\"x", "01"])
    func moreOrLessThanOneValueIsRefused(_ text: String) {
        let octets = Array(text.utf8)
        #expect(throws: JSONFault.self) { try JSONReader.value(of: octets.span, in: 0..<octets.count) }
    }

    @Test func stringsHaveOneSpelling() {
        var octets: [UInt8] = []
        octets.appendJSON("a\"\\/\n\r\t\u{0}\u{1f}\u{7f}é")
        #expect(String(decoding: octets, as: UTF8.self) == #""a\"\\/\n\r\t\u0000\u001f\u007fé""#)
    }
}
