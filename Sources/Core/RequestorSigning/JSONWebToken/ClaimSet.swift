/// The members of a JSON object, in their order.
///
/// Names compare byte by byte. Since the order is kept, a set is always written as the same bytes.
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
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - value: Its value.
        public init(name: String, value: ClaimValue) {
            self.name = name
            self.value = value
        }

        /// Compares names and values; texts compare byte by byte.
        public static func == (one: Member, other: Member) -> Bool {
            one.name.utf8.elementsEqual(other.name.utf8) && one.value == other.value
        }
    }

    /// Makes a set of members in the given order.
    ///
    /// - Parameter members: The members.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Reads, adds, replaces or (with `nil`) removes the member of a name.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: Its value; `nil` if it is missing.
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
    /// Makes a set of members in the order of the literal.
    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
/// The value of a claim: any JSON value.
///
/// Texts compare byte by byte, unlike Swift's strings.
@nonexhaustive
public enum ClaimValue: Sendable {
    /// A text.
    case string(String)
    /// A whole number within 64 bits.
    case number(Int64)
    /// Any other number, as it is written in a token. Such numbers can be read but not written.
    case otherNumber(String)
    /// `true` or `false`.
    case bool(Bool)
    /// A list.
    case array([ClaimValue])
    /// An object.
    case object(ClaimSet)
    /// JSON's `null`.
    case null

    /// The text, if the value is one.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, if the value is a whole number.
    public var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The bool, if the value is one.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, if the value is a list.
    public var array: [ClaimValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, if the value is an object.
    public var object: ClaimSet? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension ClaimValue: Equatable {
    /// Compares kinds and values; texts compare byte by byte.
    public static func == (one: ClaimValue, other: ClaimValue) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)), (.otherNumber(let one), .otherNumber(let other)):
            one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): one == other
        case (.bool(let one), .bool(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.null, .null): true
        default: false
        }
    }
}

extension ClaimValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(value) }

    /// A bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A list.
    public init(arrayLiteral elements: ClaimValue...) { self = .array(elements) }

    /// An object with the members in the order of the literal.
    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        self = .object(ClaimSet(elements.map { ClaimSet.Member(name: $0.0, value: $0.1) }))
    }
}
