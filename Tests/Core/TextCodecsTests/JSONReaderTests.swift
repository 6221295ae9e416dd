import Testing
import TextCodecs

@Suite struct JSONReaderTests {
    @Test func `Elements of an array stay where they are`() throws {
        let text = Array(#"{"x": [1, "a,]", [2, 3], {"y": 4}, null ]}"#.utf8)
        let members = try JSONReader.members(of: text.span, in: 0..<text.count)
        let array = try #require(members["x"])
        let elements = try JSONReader.elements(of: text.span, in: array.range)
        #expect(elements.map(\.kind) == [.number, .string, .array, .object, .null])
        #expect(elements.map { String(decoding: text[$0.range], as: UTF8.self) }.dropFirst(2).first == "[2, 3]")
    }

    @Test(arguments: [
        (#"{"id":1,"age":NaN}"#, "not JSON at byte 14: NaN", "allow_nan=False"),
        (#"[-Infinity]"#, "not JSON at byte 1: -Infinity", "allow_nan=False"),
        (#"[1, Infinity]"#, "not JSON at byte 4: Infinity", "allow_nan=False"),
        (#"{"a": None}"#, "not JSON at byte 6: None", "json.dumps"),
        ("True", "not JSON at byte 0: True", "json.dumps"), ("[undefined]", "not JSON at byte 1: undefined", "null"),
    ])
    func `What other writers put in the place of a value is named`(_ json: String, _ place: String, _ cure: String) {
        let text = Array("  \(json)".utf8)
        let fault = #expect(throws: JSONFault.self) { try JSONReader.value(of: text.span, in: 2..<text.count) }
        #expect(fault?.kind == .syntax)
        #expect(fault?.reason.hasPrefix(place) == true && fault?.reason.contains(cure) == true, "\(json)")
    }

    @Test(arguments: [("[Na]", 1), ("[-x]", 2), ("[-Inf]", 2), ("", 0), ("[N", 1), ("[Nothing]", 1), ("[+1]", 1)])
    func `Another character has its place, and no word`(_ json: String, _ byte: Int) {
        let text = Array(json.utf8)
        let fault = #expect(throws: JSONFault.self) { try JSONReader.value(of: text.span, in: 0..<text.count) }
        #expect(fault?.reason == "not JSON at byte \(byte)")
    }

    /// Few members are searched in their order, many by a dictionary.
    @Test(arguments: [1, 15, 16, 17, 18, 40, 1000])
    func `Members are found by their names in any number`(_ count: Int) throws {
        let names = (0..<count).map { "name \($0)" }
        let list = names.enumerated().map { "\"\($1)\": \($0)" }
        let text = Array("{\(list.joined(separator: ", "))}".utf8)
        let members = try JSONReader.members(of: text.span, in: 0..<text.count)
        #expect(members.list.map { $0.name } == names)
        for (index, name) in names.enumerated() {
            let value = try #require(members[name])
            #expect(value.integer(in: text.span) == Int64(index))
        }
        #expect(members["name"] == nil)
        for repeated in Set([0, count / 2, count - 1]) {
            let text = Array("{\((list + ["\"name \(repeated)\": null"]).joined(separator: ", "))}".utf8)
            #expect(throws: JSONFault.self) { try JSONReader.members(of: text.span, in: 0..<text.count) }
        }
    }

    @Test(arguments: [
        (#""plain""#, false, "plain"), (#""""#, false, ""), (#""a\/b""#, true, "a/b"), (#""\u0041""#, true, "A"),
    ])
    func `A string says whether it has escapes`(_ json: String, _ hasEscapes: Bool, _ expected: String) throws {
        let text = Array(json.utf8)
        let value = try JSONReader.value(of: text.span, in: 0..<text.count)
        #expect(value.hasEscapes == hasEscapes)
        #expect(value.bytes(in: text.span) == Array(expected.utf8))
    }

    @Test func `An empty array has no elements`() throws {
        let text = Array("[ ]".utf8)
        #expect(try JSONReader.elements(of: text.span, in: 0..<text.count).isEmpty)
    }

    @Test(arguments: ["[1,]", "[1", "[,]", "{}", "", "[01]"])
    func `What is not an array is refused`(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONFault.self) { try JSONReader.elements(of: bytes.span, in: 0..<bytes.count) }
    }

    @Test(arguments: [
        (" {\"a\": [1]} \n", JSONValue.Kind.object), ("[]", .array), ("\"x\"", .string), ("-1.5e3", .number),
        ("true", .boolean), ("null", .null),
    ])
    func `One value is read`(_ text: String, _ kind: JSONValue.Kind) throws {
        let bytes = Array(text.utf8)
        let value = try JSONReader.value(of: bytes.span, in: 0..<bytes.count)
        #expect(value.kind == kind)
        let found = String(decoding: bytes[value.range], as: UTF8.self)
        #expect(found == text.trimmingPrefix(" ").replacing(" \n", with: ""))
    }

    @Test(arguments: ["", " ", "{} {}", "[1]x", "[1", "{\"a\"}", "truex", "\"x", "01"])
    func `More or less than one value is refused`(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONFault.self) { try JSONReader.value(of: bytes.span, in: 0..<bytes.count) }
    }
}
