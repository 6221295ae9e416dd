import Testing
import TextCodecs

/// JSON values of any kind, apart from a text.
@Suite struct JSONTests {
    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("-12", -12),
            ("9223372036854775807", .number(.max)), ("1.50", .otherNumber("1.50")),
            ("92233720368547758080", .otherNumber("92233720368547758080")), (#""a\u00e9\n""#, "aé\n"), ("[]", []),
            ("[1,[null]]", [1, [.null]]), (#"{"a":{"b":"c"}}"#, ["a": ["b": "c"]]), ("{}", [:]),
        ] as [(String, JSON)])
    func `JSON is read as values`(json: String, value: JSON) {
        #expect(JSON(json: json) == value)
        #expect(JSON(json: value.json) == value)
    }

    @Test(arguments: [
        "", "nul", "{", #"{"a":1,"a":2}"#, #"[{"a":1,"\u0061":2}]"#, "1 2", #"["\ud800"]"#,
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        "[" + String(repeating: "0,", count: 50_000) + "0]",
    ])
    func `What is not JSON, or has no bounds, is refused`(json: String) {
        #expect(JSON(json: json) == nil)
    }

    @Test func `An object is read from bytes that it fills`() throws {
        let object = try JSON.Object(json: Array(#" {"a":1} "#.utf8))
        #expect(object == ["a": 1])
        for text in ["[]", "1", "", "{} x", "{\"a\":\"\u{0}\"}"] {
            #expect(throws: JSONFault.self) { try JSON.Object(json: Array(text.utf8)) }
        }
        #expect(throws: JSONFault.self) { try JSON.Object(json: Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)) }
    }

    @Test func `Members keep their order`() {
        let text = #"{"b":1,"a":null,"é":true,"Z":"/"}"#
        #expect(JSON(json: text)?.json == text)
        var object: JSON.Object = ["b": 1, "a": [true, "x", ["y": 2]]]
        #expect(object.members.map(\.name) == ["b", "a"])
        object["b"] = 3
        object["c"] = .null
        object["a"] = nil
        #expect(object == ["b": 3, "c": .null])
        #expect(object != ["c": .null, "b": 3])
        #expect(object["b"]?.number == 3)
        #expect(object["c"]?.string == nil)
    }

    @Test func `Texts compare byte by byte, also as names`() {
        #expect(JSON.string("caf\u{e9}") != .string("cafe\u{301}"))
        let object: JSON.Object = ["caf\u{e9}": 1]
        #expect(object["cafe\u{301}"] == nil)
        #expect(object != ["cafe\u{301}": 1])
        #expect(Set<JSON>(["caf\u{e9}", "cafe\u{301}", 1, 1, ["a": .null], ["a": .null]]).count == 4)
        #expect(JSON(json: "1.0") != JSON(json: "1.00"))
    }

    @Test func `Parts are found by name`() {
        let value: JSON = ["a": ["b"]]
        #expect(value["a"]?.array?.first?.string == "b")
        #expect(value["b"] == nil && value.string == nil && value.array == nil && value.bool == nil)
        #expect(JSON.string("a")["a"] == nil)
    }

    /// Such a value does not come from a text, and must not add members to what it is written into.
    @Test(arguments: ["1,\"exp\":9", "", "x", " 1", "true", "NaN", "01"])
    func `Digits that are no number are written as a string`(digits: String) {
        #expect(JSON.otherNumber(digits).json == JSON.string(digits).json)
    }

    @Test func `Descriptions show kinds, not values`() {
        let values: [JSON] = [
            .null, true, 7, .otherNumber("7.5"), "secret", ["secret"], ["secret": "secret"],
        ]
        #expect(
            values.map(\.description) == [
                "null", "true or false", "a number", "a number", "a string", "an array of 1", "an object of 1",
            ])
        var dumped = ""
        dump(values, to: &dumped)
        dump(values.map(\.object), to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
