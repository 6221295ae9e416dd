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

    @Test func `Objects inside are read by a function, and know where they are`() throws {
        let bytes = Array(#"{"part":{"k":1},"list":[{"k":2},{"k":"3"}],"n":1,"null":null}"#.utf8)
        let text = bytes.span
        let object = try JSONObject(text, in: 0..<bytes.count, nulls: .countAsAbsent)
        let number = { (object: JSONObject, text: Span<UInt8>) throws(JSONFault) in
            try object.requiredInteger("k", in: text)
        }
        let part = try object.part("part", in: text, reading: number)
        #expect(part == 1)
        for name in ["absent", "null"] {
            let none = try object.part(name, in: text, reading: number)
            let nothing = try object.parts(name, in: text, reading: number)
            #expect(none == nil && nothing.isEmpty, "\(name)")
        }
        var reasons: [String] = []
        for name in ["n", "list"] {
            do throws(JSONFault) {
                _ = try object.part(name, in: text, reading: number)
            } catch {
                reasons.append(error.reason)
            }
            do throws(JSONFault) {
                _ = try object.parts(name, in: text, reading: number)
            } catch {
                reasons.append(error.reason)
            }
        }
        #expect(
            reasons == [
                "n is not an object", "n is not an array", "list is not an object", "list[1].k is not a whole number",
            ])
        #expect(throws: JSONFault.self) { try object.requiredInteger("absent", in: bytes.span) }
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

    /// Few members are marked as bits, and others in a set.
    @Test(arguments: [0, 1, 16, 17, 63, 64, 65, 66, 200])
    func `Members that were not taken are unknown`(_ count: Int) throws {
        let names = (0..<count).map { "name \($0)" }
        let text = Array("{\(names.map { "\"\($0)\":null" }.joined(separator: ","))}".utf8)
        var object = try JSONObject(text.span, in: 0..<text.count, nulls: .countAsAbsent)
        #expect(object.unknownMembers.map(\.name) == names)
        for index in stride(from: 0, to: count, by: 3) { object.take(names[index]) }
        object.take("name")
        if count > 0 { object.take(names[0]) }
        let untaken = names.indices.filter { !$0.isMultiple(of: 3) }.map { names[$0] }
        #expect(object.unknownMembers.map(\.name) == untaken)
        for name in names { object.take(name) }
        #expect(object.unknownMembers.isEmpty)
    }

    /// Swift's strings call the two spellings of "é" equal, and the sign for kelvin a "K".
    @Test(arguments: [0, 20])
    func `Names are the same if their bytes are`(_ others: Int) throws {
        let names = ["\u{E9}", "e\u{301}", "K", "\u{212A}"] + (0..<others).map { "name \($0)" }
        let list = names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
        let text = Array("{\(list)}".utf8)
        var object = try JSONObject(text.span, in: 0..<text.count)
        for (index, name) in names.enumerated() {
            #expect(try object.integer(name, in: text.span) == Int64(index))
        }
        object.take("e\u{301}")
        object.take("K")
        #expect(object.unknownMembers.prefix(2).map { Array($0.name.utf8) } == [[0xC3, 0xA9], [0xE2, 0x84, 0xAA]])
        let repeated = Array("{\(list),\"e\\u0301\":1}".utf8)
        #expect(throws: JSONFault.self) { try JSONObject(repeated.span, in: 0..<repeated.count) }
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
