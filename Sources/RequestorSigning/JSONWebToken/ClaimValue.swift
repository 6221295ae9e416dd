/// Holds one value of a claim.
///
/// Texts compare byte by byte, unlike Swift's strings.
@nonexhaustive
public enum ClaimValue: Sendable {
    /// A text.
    case string(String)
    /// A whole number within 64 bits.
    case number(Int64)
    /// Any other number, as it stands in a token. It is read, and not written.
    case otherNumber(String)
    /// `true` or `false`.
    case bool(Bool)
    /// A list.
    case array([ClaimValue])
    /// Members by name.
    case object(ClaimSet)
    /// JSON's `null`.
    case null

    /// The text, where it is one.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number, where it is one.
    public var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The bool value, where it is one.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, where it is a list.
    public var array: [ClaimValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, where it is an object.
    public var object: ClaimSet? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension ClaimValue: Equatable {
    /// Compares kinds and values, texts byte by byte.
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

    /// A bool value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A list.
    public init(arrayLiteral elements: ClaimValue...) { self = .array(elements) }

    /// An object, in the order in which it is written.
    public init(dictionaryLiteral elements: (String, ClaimValue)...) {
        self = .object(ClaimSet(elements.map { ClaimSet.Member(name: $0.0, value: $0.1) }))
    }
}
