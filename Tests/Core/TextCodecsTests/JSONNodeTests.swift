import Testing
import TextCodecs

/// Reads whole JSON texts: the order of values, where they are, and where faults are.
@Suite struct JSONNodeTests {
    private func node(
        _ text: String,
        maximumValues: Int = .max,
        maximumElements: Int = .max
    ) throws(JSONFault) -> JSONNode {
        let bytes = Array(text.utf8)
        return try JSONReader.node(
            of: bytes.span, in: 0..<bytes.count, maximumValues: maximumValues, maximumElements: maximumElements)
    }

    private func fault(_ text: String, maximumValues: Int = .max, maximumElements: Int = .max) -> JSONFault? {
        do throws(JSONFault) {
            _ = try node(text, maximumValues: maximumValues, maximumElements: maximumElements)
            return nil
        } catch {
            return error
        }
    }

    @Test func `Values keep their order and place`() throws {
        let text = #" {"b":[1, {"x":"\u00e9"}],"a":null} "#
        let node = try node(text)
        let bytes = Array(text.utf8)
        func at(_ node: JSONNode) -> String { String(decoding: bytes[node.value.range], as: UTF8.self) }
        #expect(node.members.map { $0.name } == ["b", "a"])
        #expect(node.members.map { at($0.node) } == [#"[1, {"x":"\u00e9"}]"#, "null"])
        #expect(node.members[0].node.elements.map(at) == ["1", #"{"x":"\u00e9"}"#])
        #expect(node.members[0].node.elements.map(\.value.kind) == [.number, .object])
    }

    @Test(arguments: ["", " ", "{", "[1,]", "{}{}", "[1 2]", #"{"a" 1}"#, #"{"a":1,}"#, "nul", "01", #""a"#, "{1:2}"])
    func `What is not JSON is refused`(text: String) {
        #expect(fault(text)?.kind == .syntax)
    }

    @Test func `A repeated member is found where it is`() throws {
        let found = try #require(fault(#"{"a":[0,{"b":{"c":1,"\u0063":1}}]}"#))
        #expect(found.kind == .repeatedMember)
        #expect(found.location.pointer == "/a/1/b")
        #expect(fault(#"[{"a":1},{"a":1}]"#) == nil)
        #expect(fault("{\"\u{E9}\":1,\"e\u{301}\":1}") == nil)
    }

    @Test func `Half a surrogate pair is refused`() {
        #expect(fault(#"["\ud83d"]"#)?.kind == .syntax)
        #expect(fault(#"{"\ud83d":1}"#)?.kind == .syntax)
        #expect(fault(#"["\ud83d\ude00"]"#) == nil)
    }

    @Test func `Sixty-four levels are read and no more`() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(fault(nested(64)) == nil)
        #expect(fault(nested(65))?.kind == .tooDeep)
        #expect(fault(String(repeating: #"{"a":"#, count: 100_000))?.kind == .tooDeep)
    }

    @Test func `The reading ends at the limit of values`() {
        #expect(fault(#"{"a":[1,2]}"#, maximumValues: 3) == nil)
        #expect(fault(#"{"a":[1,2]}"#, maximumValues: 2)?.kind == .tooManyValues(limit: 2))
        // What comes after the limit is not looked at.
        #expect(fault("[1,2,3,nonsense", maximumValues: 2)?.kind == .tooManyValues(limit: 2))
    }

    @Test func `The reading ends at the limit of elements of one array`() {
        #expect(fault("[[1,2],[3,4],{\"a\":[5,6]}]", maximumElements: 3) == nil)
        // What comes after the limit is not looked at.
        let found = fault("{\"a\":[[1,2],[3,4,5,nonsense", maximumElements: 2)
        #expect(found?.kind == .tooManyMembers(limit: 2))
        #expect(found?.location.pointer == "/a/1")
    }

    @Test func `An object has a limit of members`() {
        func object(_ members: Int) -> String {
            "{" + (0..<members).map { #""\#($0)":0"# }.joined(separator: ",") + "}"
        }
        #expect(fault("[\(object(10_000))]") == nil)
        let found = fault("[\(object(10_001))]")
        #expect(found?.kind == .tooManyMembers(limit: 10_000))
        #expect(found?.location.pointer == "/0")
    }

    @Test func `What is empty is read as it is`() throws {
        let node = try node(#"[{},[]]"#)
        #expect(node.elements.map(\.value.kind) == [.object, .array])
        #expect(node.elements.allSatisfy { $0.members.isEmpty && $0.elements.isEmpty })
        #expect(throws: Never.self) { _ = try JSONObject(node.elements[0], at: .root, nulls: .areValues) }
    }
}
