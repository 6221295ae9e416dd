import TextCodecs

/// An identifier of the entitlement protocol: an opaque string that is compared byte by byte.
///
/// Swift compares strings by canonical equivalence: the KELVIN SIGN equals the letter K, and an `é` of one code point
/// equals an `é` of two. Identifiers that only look alike must stay different, so these types compare and hash UTF-8
/// bytes.
public protocol EntitlementIdentifier: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral
{
    /// The identifier as it is written on the wire, with its case and white space.
    var rawValue: String { get }

    /// Makes an identifier from its text, without trimming, case folding or normalising it.
    init(_ rawValue: String)
}

extension EntitlementIdentifier {
    /// Makes an identifier from a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The identifier as it is written on the wire.
    public var description: String { rawValue }

    /// Compares the UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.rawValue.hasSameBytes(as: other.rawValue)
    }

    /// Hashes the UTF-8 bytes, which are what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: rawValue)
    }

    /// The identifier if it is one of those that are known, for descriptions and logs: another text could be what a user has
    /// typed in.
    package func shown(ifAmong known: Set<Self>) -> String {
        known.contains(self) ? rawValue : "(a text that is not shown)"
    }
}

/// The brand of a programmer that asks for entitlement, for example `REF30`.
///
/// Upper and lower case are different.
public struct RequestorID: EntitlementIdentifier {
    /// The identifier as it is written on the wire.
    public let rawValue: String

    /// Makes an identifier from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The resource that a viewer may watch: a plain string such as `TNT`, or a whole MRSS fragment.
public struct ResourceID: EntitlementIdentifier {
    /// The identifier as it is written on the wire.
    public let rawValue: String

    /// Makes an identifier from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A provider (multichannel video programming distributor, MVPD) or a proxy of one.
public struct MVPDID: EntitlementIdentifier {
    /// The identifier as it is written on the wire.
    public let rawValue: String

    /// Makes an identifier from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A subscriber, by the broker's pseudonymous hash: 32 lowercase hexadecimal digits on the wire.
///
/// It identifies a person, so keep it out of logs.
public struct SessionGUID: EntitlementIdentifier {
    /// The identifier as it is written on the wire.
    public let rawValue: String

    /// Makes an identifier from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension EntitlementIdentifier {
    /// Both sides of a mismatch, as the end of a sentence: `"A", not for "B" or "C"`.
    ///
    /// No two identifiers that differ look the same in it. If nothing is expected, it is `any`.
    package func words(notFor expected: [Self]) -> String {
        let texts = String.quotedApart([rawValue], expected.map(\.rawValue))
        let others = texts.other.isEmpty ? "any" : texts.other.joined(separator: " or ")
        return "\(texts.one.joined()), not for \(others)"
    }
}
