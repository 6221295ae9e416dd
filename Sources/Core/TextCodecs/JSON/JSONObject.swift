/// Reads the members of a JSON object by name and type.
///
/// A fault says which member is missing, or not of the type that was asked for. Every reading is handed the text that
/// the object is part of, since values stay where they are.
package struct JSONObject {
    /// What a member is whose value is `null`.
    package enum Nulls: Sendable {
        /// A value that is not of any other type.
        case areValues
        /// The same as a member that is not there: services write it for what they do not have.
        case countAsAbsent
    }

    /// Where the object is.
    package let location: JSONLocation
    package let members: JSONMembers
    private let nulls: Nulls
    private var taken = JSONMemberMarks()

    /// Reads an object of its own, and leaves the inside of its values alone.
    ///
    /// The range is the object with white space around it. The location is for faults. Throws if the text is not an
    /// object.
    package init(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        at location: JSONLocation = .root,
        nulls: Nulls = .areValues
    ) throws(JSONFault) {
        members = try JSONReader.members(of: text, in: range)
        self.location = location
        self.nulls = nulls
    }

    /// Takes a value that was read with everything inside it; throws if it is not an object.
    ///
    /// The location is for faults.
    package init(_ node: JSONNode, at location: JSONLocation, nulls: Nulls) throws(JSONFault) {
        guard let members = node.namedMembers else { throw .wrongType(.object, at: location) }
        self.members = members
        self.location = location
        self.nulls = nulls
    }

    /// Refuses members of other names: a misspelt one would be ignored otherwise.
    ///
    /// Throws a fault of the kind `notAllowed`, at the object.
    package func allowOnly(_ names: Set<String>) throws(JSONFault) {
        guard members.list.allSatisfy({ member in names.contains { $0.hasSameBytes(as: member.name) } }) else {
            let known = names.sorted().joined(separator: ", ")
            throw JSONFault(.notAllowed, at: location, "has a member that is none of \(known)")
        }
    }

    /// Tells whether there is a member of a name, `null` or not.
    package func contains(_ name: String) -> Bool { members.index(of: name) != nil }

    /// Notes that the definition of the object has a member.
    package mutating func take(_ name: String) {
        if let index = members.index(of: name) { taken.insert(index) }
    }

    /// The members that were not taken, in the order of the text.
    package var unknownMembers: [JSONNode.Member] {
        guard taken.count < members.list.count else { return [] }
        return members.list.indices.filter { !taken.contains($0) }.map { members.list[$0] }
    }

    /// The value of a member; `nil` if the member is absent.
    package func node(_ name: String) -> JSONNode? {
        guard let node = members.node(name) else { return nil }
        return nulls == .countAsAbsent && node.value.kind == .null ? nil : node
    }

    /// The value of a member that must be there.
    package func requiredNode(_ name: String) throws(JSONFault) -> JSONNode {
        try required(name, node(name))
    }

    /// Throws that a member is missing if reading it gave `nil`, else returns what it gave.
    package func required<Value>(_ name: String, _ value: Value?) throws(JSONFault) -> Value {
        guard let value else { throw JSONFault(.missing, at: location + name, "is missing") }
        return value
    }

    // MARK: Types

    /// Where a member is that is a string; `nil` if the member is absent.
    package func stringValue(_ name: String) throws(JSONFault) -> JSONValue? {
        try value(name, .string, as: .string)
    }

    /// The bytes of a member that is a string, escapes resolved; `nil` if the member is absent.
    package func bytes(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> [UInt8]? {
        guard let value = try stringValue(name) else { return nil }
        guard let bytes = value.bytes(in: text) else { throw .brokenText(at: location + name) }
        return bytes
    }

    /// A member that is a string; `nil` if the member is absent.
    package func string(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> String? {
        guard let value = try stringValue(name) else { return nil }
        guard let string = value.string(in: text) else { throw .brokenText(at: location + name) }
        return string
    }

    /// A member that is a string with something in it; `nil` if the member is absent.
    package func identifier(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> String? {
        guard let string = try string(name, in: text) else { return nil }
        guard !string.isEmpty else { throw .wrongType(.identifier, at: location + name) }
        return string
    }

    /// A member that is a string with something in it, and must be there.
    package func requiredIdentifier(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> String {
        try required(name, try identifier(name, in: text))
    }

    /// A member that is a whole number within 64 bits; `nil` if the member is absent.
    package func integer(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Int64? {
        guard let value = node(name)?.value else { return nil }
        guard let integer = value.integer(in: text) else {
            throw .wrongType(.wholeNumber, at: location + name)
        }
        return integer
    }

    /// A member that is a whole number within 64 bits, and must be there.
    package func requiredInteger(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Int64 {
        try required(name, try integer(name, in: text))
    }

    /// A member that is `true` or `false`; `nil` if the member is absent.
    package func boolean(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Bool? {
        guard let value = try value(name, .boolean, as: .boolean) else { return nil }
        return value.isTrue(in: text)
    }

    /// What is read of the object in a member; `nil` if the member is absent.
    package func part<Part>(
        _ name: String,
        in text: Span<UInt8>,
        reading read: (JSONObject, Span<UInt8>) throws(JSONFault) -> Part
    ) throws(JSONFault) -> Part? {
        guard let value = try value(name, .object, as: .object) else { return nil }
        return try read(try JSONObject(text, in: value.range, at: location + name, nulls: nulls), text)
    }

    /// What is read of each object in a member that is an array; nothing if the member is absent.
    package func parts<Part>(
        _ name: String,
        in text: Span<UInt8>,
        reading read: (JSONObject, Span<UInt8>) throws(JSONFault) -> Part
    ) throws(JSONFault) -> [Part] {
        guard node(name) != nil else { return [] }
        return try objects(name, in: text).map { object throws(JSONFault) in try read(object, text) }
    }

    /// The objects in a member that is an array and must be there; the inside of their values is left alone.
    package func objects(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> [JSONObject] {
        let place = location + name
        var objects: [JSONObject] = []
        for (index, value) in try elements(name, in: text).enumerated() {
            let element = place + .element(index)
            guard value.kind == .object else { throw .wrongType(.object, at: element) }
            objects.append(try JSONObject(text, in: value.range, at: element, nulls: nulls))
        }
        return objects
    }

    /// The strings in a member that is an array and must be there; none of them is empty.
    package func identifiers(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> [String] {
        let place = location + name
        var strings: [String] = []
        for (index, value) in try elements(name, in: text).enumerated() {
            guard value.kind == .string, let string = value.string(in: text), !string.isEmpty else {
                throw .wrongType(.identifier, at: place + .element(index))
            }
            strings.append(string)
        }
        return strings
    }

    private func elements(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> [JSONValue] {
        let value = try required(name, try value(name, .array, as: .array))
        return try JSONReader.elements(of: text, in: value.range)
    }

    private func value(_ name: String, _ kind: JSONValue.Kind, as type: JSONType) throws(JSONFault) -> JSONValue? {
        guard let value = node(name)?.value else { return nil }
        guard value.kind == kind else { throw .wrongType(type, at: location + name) }
        return value
    }
}

/// Marks members of an object by their places: the first ones as bits, since few objects have more.
private struct JSONMemberMarks {
    private var first: UInt64 = 0
    private var others: Set<Int> = []

    var count: Int { first.nonzeroBitCount + others.count }

    func contains(_ index: Int) -> Bool {
        index < UInt64.bitWidth ? first >> UInt64(index) & 1 == 1 : others.contains(index)
    }

    mutating func insert(_ index: Int) {
        if index < UInt64.bitWidth { first |= 1 << UInt64(index) } else { others.insert(index) }
    }
}

extension JSONFault {
    fileprivate static func wrongType(_ expected: JSONType, at location: JSONLocation) -> JSONFault {
        JSONFault(.wrongType(expected), at: location, "is not \(expected.rawValue)")
    }

    fileprivate static func brokenText(at location: JSONLocation) -> JSONFault {
        JSONFault(.notAllowed, at: location, "holds half a surrogate pair")
    }
}
