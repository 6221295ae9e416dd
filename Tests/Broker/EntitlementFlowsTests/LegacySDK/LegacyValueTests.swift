#if Client
import EntitlementFlows
import Testing

@Suite struct LegacyValueTests {
    @Test(arguments: [
        ("null", LegacyValue.null), ("true", .boolean(true)), ("false", .boolean(false)), ("-12", .integer(-12)),
        ("1.50", .decimal("1.50")), ("92233720368547758080", .decimal("92233720368547758080")),
        (#""a\u00e9\n""#, .text("aé\n")), ("[]", .list([])), ("[1,[null]]", .list([.integer(1), .list([.null])])),
        (#"{"a":{"b":"c"}}"#, .dictionary(["a": .dictionary(["b": .text("c")])])), ("{}", .dictionary([:])),
    ])
    func `JSON is read as values`(json: String, value: LegacyValue) {
        #expect(LegacyValue(json: json) == value)
        #expect(LegacyValue(json: value.json) == value)
    }

    @Test(arguments: ["", "nul", "{", #"{"a":1,"a":2}"#, "1 2", #"["\ud800"]"#])
    func `What is not JSON is refused`(json: String) {
        #expect(LegacyValue(json: json) == nil)
    }

    @Test func `Names are in the order of their bytes`() {
        let value: LegacyValue = .dictionary(["b": .integer(1), "a": .null, "é": .boolean(true), "Z": .text("/")])
        #expect(value.json == #"{"Z":"/","a":null,"b":1,"é":true}"#)
    }

    @Test func `Parts are found by name`() {
        let value: LegacyValue = .dictionary(["a": .list([.text("b")])])
        #expect(value["a"]?.elements?.first?.text == "b")
        #expect(value["b"] == nil && value.text == nil && value.elements == nil)
        #expect(LegacyValue.text("a")["a"] == nil)
    }

    @Test func `Descriptions show kinds, not values`() {
        let values: [LegacyValue] = [
            .null, .boolean(true), .integer(7), .decimal("7.5"), .text("secret"), .list([.text("secret")]),
            .dictionary(["secret": .text("secret")]),
        ]
        #expect(
            values.map(\.description) == [
                "nothing", "a truth value", "a number", "a number", "a text", "a list of 1", "a dictionary of 1",
            ])
        var dumped = ""
        dump(values, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
#endif
