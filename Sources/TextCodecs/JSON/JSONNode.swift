/// One value of a JSON text and, if they were read, the values inside it, in the order of the text.
package struct JSONNode {
    /// A member of an object; its name as bytes, since Swift's strings call different spellings equal.
    package struct Member {
        package let name: [UInt8]
        package let node: JSONNode

        /// What the member's value is, and where it is in the text.
        package var value: JSONValue { node.value }
    }

    /// What the values inside are; boxed, so that a node without them is small.
    private indirect enum Contents {
        case unread
        /// Read, and there is nothing inside: no box is needed.
        case empty
        case members(JSONMembers)
        case elements([JSONNode])
    }

    /// What it is, and where it is in the text.
    package let value: JSONValue
    private let contents: Contents

    /// The members by name; `nil` if it is not an object, or its contents were not read.
    var namedMembers: JSONMembers? {
        switch contents {
        case .members(let members): members
        case .empty where value.kind == .object: JSONMembers()
        default: nil
        }
    }

    /// The members of an object; empty for other values, and if they were not read.
    package var members: [Member] { namedMembers?.list ?? [] }

    /// The elements of an array; empty for other values, and if they were not read.
    package var elements: [JSONNode] {
        if case .elements(let elements) = contents { elements } else { [] }
    }

    /// A value whose contents are left unread.
    init(_ value: JSONValue) {
        self.value = value
        contents = .unread
    }

    init(_ value: JSONValue, _ read: JSONContents) {
        self.value = value
        contents =
            switch value.kind {
            case .object: read.members.list.isEmpty ? .empty : .members(read.members)
            case .array: read.elements.isEmpty ? .empty : .elements(read.elements)
            default: .unread
            }
    }
}

/// What a reader has found inside an object or an array so far.
struct JSONContents {
    var members = JSONMembers()
    var elements: [JSONNode] = []
}

/// The members of a JSON object, in the order of the text.
package struct JSONMembers {
    package private(set) var list: [JSONNode.Member] = []
    /// Where each name is, once there are many.
    ///
    /// Most objects have few, and for those a dictionary costs more than it saves.
    private var indexes: [[UInt8]: Int] = [:]
    private static let few = 16

    package init() {}

    package subscript(name: [UInt8]) -> JSONValue? { index(of: name).map { list[$0].value } }

    /// The value of a member, with what was read of its contents.
    func node(_ name: String) -> JSONNode? {
        if list.count > Self.few { return indexes[Array(name.utf8)].map { list[$0].node } }
        return list.firstIndex { $0.name.hasSameBytes(as: name) }.map { list[$0].node }
    }

    func contains(_ name: [UInt8]) -> Bool { index(of: name) != nil }

    /// Adds a member of a name that no other member has.
    mutating func append(_ name: [UInt8], _ node: JSONNode) {
        if list.isEmpty { list.reserveCapacity(8) }
        list.append(JSONNode.Member(name: name, node: node))
        if list.count > Self.few { noteIndexes() }
    }

    private mutating func noteIndexes() {
        for index in indexes.count..<list.count { indexes[list[index].name] = index }
    }

    private func index(of name: [UInt8]) -> Int? {
        list.count > Self.few ? indexes[name] : list.firstIndex { $0.name == name }
    }
}
