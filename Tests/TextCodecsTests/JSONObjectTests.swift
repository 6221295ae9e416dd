import Testing
import TextCodecs

@Suite struct JSONObjectTests {
    private static let text = Array(
        #"""
        {"s":"a\u0062","empty":"","n":-5,"f":1.5,"big":9223372036854775808,"b":true,"null":null,
        "list":["x",""],"objects":[{"k":"v"},{"k":1}],"half":"\ud83d"}
        """#.utf8)

    private func object(_ nulls: JSONObject.Nulls = .areValues) throws -> JSONObject {
        try JSONObject(Self.text.span, in: 0..<Self.text.count, nulls: nulls)
    }

    private func fault<Value>(_ read: (Span<UInt8>) throws(JSONFault) -> Value) -> JSONFault? {
        do throws(JSONFault) {
            _ = try read(Self.text.span)
            return nil
        } catch {
            return error
        }
    }

    @Test func `Members are read by their types`() throws {
        let object = try object()
        let text = Self.text.span
        let string = try object.string("s", in: text)
        #expect(string == "ab")
        let bytes = try object.bytes("empty", in: text)
        #expect(bytes == [])
        let number = try object.integer("n", in: text)
        #expect(number == -5)
        let bool = try object.boolean("b", in: text)
        #expect(bool == true)
        let objects = try object.objects("objects", in: text)
        let inner = try objects[0].requiredIdentifier("k", in: text)
        #expect(inner == "v")
        let absent = try object.string("absent", in: text)
        #expect(absent == nil)
    }

    @Test func `A fault says what is wrong and where`() throws {
        let object = try object()
        let number = fault { text throws(JSONFault) in try object.string("n", in: text) }
        #expect(number?.kind == .wrongType(.string))
        #expect(number?.reason == "n is not a string")
        let empty = fault { text throws(JSONFault) in try object.identifier("empty", in: text) }
        #expect(empty?.kind == .wrongType(.identifier))
        let fraction = fault { text throws(JSONFault) in try object.integer("f", in: text) }
        #expect(fraction?.reason == "f is not a whole number")
        let big = fault { text throws(JSONFault) in try object.integer("big", in: text) }
        #expect(big?.kind == .wrongType(.wholeNumber))
        let half = fault { text throws(JSONFault) in try object.string("half", in: text) }
        #expect(half?.reason == "half holds half a surrogate pair")
        let missing = fault { text throws(JSONFault) in try object.requiredIdentifier("absent", in: text) }
        #expect(missing?.kind == .missing)
        #expect(missing?.location.pointer == "/absent")
        let element = fault { text throws(JSONFault) in try object.identifiers("list", in: text) }
        #expect(element?.location.description == "list[1]")
        let nested = fault { text throws(JSONFault) in
            try object.objects("objects", in: text)[1].identifier("k", in: text)
        }
        #expect(nested?.reason == "objects[1].k is not a string")
        let unknown = fault { _ throws(JSONFault) in try object.allowOnly(["s", "n"]) }
        #expect(unknown?.reason == "the value has a member that is none of n, s")
    }

    @Test func `Null is a value or absent`() throws {
        let values = try object()
        let fault = fault { text throws(JSONFault) in try values.string("null", in: text) }
        #expect(fault?.kind == .wrongType(.string))
        let object = try object(.countAsAbsent)
        let absent = try object.string("null", in: Self.text.span)
        #expect(absent == nil)
        #expect(object.contains("null") && !object.contains("absent"))
    }

    @Test func `A node must be an object`() throws {
        let text = Array(#"{"list":[1,2]}"#.utf8)
        let node = try JSONReader.node(of: text.span, in: 0..<text.count)
        let object = try JSONObject(node, at: .root, nulls: .areValues)
        let list = try object.requiredNode("list")
        #expect(list.elements.count == 2)
        #expect(throws: JSONFault.self) { try JSONObject(list, at: .root, nulls: .areValues) }
    }
}
