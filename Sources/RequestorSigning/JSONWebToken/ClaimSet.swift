/// Holds the members of a JSON object in their order.
///
/// Names compare byte by byte. The order is kept, so the same set is always written with the same bytes.
public struct ClaimSet: Sendable {
    /// The members in their order.
    public private(set) var members: [Member]

    /// One member of an object.
    public struct Member: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: ClaimValue

        /// Makes a member.
        public init(name: String, value: ClaimValue) {
            self.name = name
            self.value = value
        }

        /// Compares name and value, texts byte by byte.
        public static func == (one: Member, other: Member) -> Bool {
            one.name.utf8.elementsEqual(other.name.utf8) && one.value == other.value
        }
    }

    /// Takes members in their order.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Reads, adds, replaces or (with `nil`) takes away a member by its name.
    public subscript(name: String) -> ClaimValue? {
        get {
            members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
        set {
            let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (index, newValue) {
            case (let index?, let value?): members[index] = Member(name: name, value: value)
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension ClaimSet: Equatable, ExpressibleByDictionaryLiteral {
    /// Takes members in the order in which they are written.
    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
