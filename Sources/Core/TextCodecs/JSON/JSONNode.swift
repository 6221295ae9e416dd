/// One value of a JSON text and, if they were read, the values inside it, in the order of the text.
package struct JSONNode {
    /// A member of an object.
    ///
    /// Compare names by their bytes: Swift's strings call different spellings equal.
    package struct Member {
        package let name: String
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

    /// The value of a member; `nil` if there is none, and if this is not an object that was read.
    package func member(_ name: String) -> JSONNode? { namedMembers?.node(name) }

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
package struct JSONMembers: Sendable {
    package private(set) var list: [JSONNode.Member] = []
    /// Where each name is, once there are many.
    ///
    /// Most objects have few, and for those a dictionary costs more than it saves.
    private var indexes: [Name: Int] = [:]
    private static let few = 16

    /// A name by its bytes.
    private struct Name: Hashable {
        let text: String

        static func == (one: Name, other: Name) -> Bool { one.text.hasSameBytes(as: other.text) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
    }

    package init() {}

    package subscript(name: String) -> JSONValue? { node(name)?.value }

    /// The value of a member, with what was read of its contents.
    func node(_ name: String) -> JSONNode? { index(of: name).map { list[$0].node } }

    /// Where a member is in the list; `nil` if there is none of the name.
    func index(of name: String) -> Int? {
        guard list.count <= Self.few else { return indexes[Name(text: name)] }
        let count = name.utf8.count
        // Members are looked at in their place: `firstIndex` would copy each. Most differ in their length already.
        for index in list.indices
        where list[index].name.utf8.count == count && list[index].name.hasSameBytes(as: name) {
            return index
        }
        return nil
    }

    /// Adds a member of a name that no other member has.
    mutating func append(_ name: String, _ node: JSONNode) {
        if list.isEmpty { list.reserveCapacity(8) }
        list.append(JSONNode.Member(name: name, node: node))
        if list.count > Self.few { noteIndexes() }
    }

    private mutating func noteIndexes() {
        for index in indexes.count..<list.count { indexes[Name(text: list[index].name)] = index }
    }
}
