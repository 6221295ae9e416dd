/// One value of a JSON text with everything inside it, in the order of the text.
package struct JSONNode {
    /// A member of an object; its name as bytes, since Swift's strings call different spellings equal.
    package struct Member {
        package let name: [UInt8]
        package let node: JSONNode
    }

    /// What it is, and where it stands.
    package let value: JSONValue
    /// The members, where it is an object.
    package let members: [Member]
    /// The elements, where it is an array.
    package let elements: [JSONNode]

    fileprivate init(_ value: JSONValue, members: [Member] = [], elements: [JSONNode] = []) {
        self.value = value
        self.members = members
        self.elements = elements
    }
}

extension JSONReader {
    /// Reads a whole JSON text in one pass, with all that is in it.
    ///
    /// Unlike `members`, which leaves the inside of its values alone, this refuses repeated members and halves of
    /// surrogate pairs at every level, says where, and costs the same however deep the text is nested.
    package static func node(of text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) -> JSONNode {
        var reader = JSONReader(start: range.lowerBound, end: range.upperBound, position: range.lowerBound)
        reader.skipWhiteSpace(text)
        let node = try reader.node(text, depth: 0)
        reader.skipWhiteSpace(text)
        guard reader.position == reader.end else { throw JSONFault(reason: "more behind the JSON value") }
        return node
    }

    private mutating func node(_ text: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONNode {
        switch byte(text) {
        case UInt8(ascii: "{"): try object(text, depth: depth)
        case UInt8(ascii: "["): try array(text, depth: depth)
        case UInt8(ascii: "\""): try wholeString(text)
        default: JSONNode(try value(text, depth: depth))
        }
    }

    private mutating func wholeString(_ text: Span<UInt8>) throws(JSONFault) -> JSONNode {
        let value = try string(text)
        guard Self.string(text, value) != nil else { throw .brokenText }
        return JSONNode(value)
    }

    private mutating func node(
        _ text: Span<UInt8>,
        depth: Int,
        at step: JSONStep
    ) throws(JSONFault) -> JSONNode {
        do throws(JSONFault) {
            return try node(text, depth: depth)
        } catch {
            throw error.inside(step)
        }
    }

    private mutating func object(_ text: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONNode {
        guard depth < Self.deepest else { throw .tooDeep }
        let start = position
        var members: [JSONNode.Member] = []
        var names: Set<[UInt8]> = []
        position += 1
        skipWhiteSpace(text)
        if !take(text, "}") {
            repeat {
                skipWhiteSpace(text)
                guard byte(text) == UInt8(ascii: "\"") else { throw fault }
                guard let name = Self.string(text, try string(text)) else { throw .brokenName }
                guard names.insert(name).inserted else { throw .repeated }
                skipWhiteSpace(text)
                guard take(text, ":") else { throw fault }
                skipWhiteSpace(text)
                members.append(JSONNode.Member(name: name, node: try node(text, depth: depth + 1, at: .member(name))))
                skipWhiteSpace(text)
            } while take(text, ",")
            guard take(text, "}") else { throw fault }
        }
        return JSONNode(JSONValue(kind: .object, range: start..<position), members: members)
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONNode {
        guard depth < Self.deepest else { throw .tooDeep }
        let start = position
        var elements: [JSONNode] = []
        position += 1
        skipWhiteSpace(text)
        if !take(text, "]") {
            repeat {
                skipWhiteSpace(text)
                elements.append(try node(text, depth: depth + 1, at: .element(elements.count)))
                skipWhiteSpace(text)
            } while take(text, ",")
            guard take(text, "]") else { throw fault }
        }
        return JSONNode(JSONValue(kind: .array, range: start..<position), elements: elements)
    }
}
