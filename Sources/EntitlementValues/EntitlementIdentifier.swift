import TextCodecs

/// Names something in the entitlement protocol by an opaque string that is compared byte by byte.
///
/// Swift's own `String` comparison is by canonical equivalence: it calls a KELVIN SIGN and the letter K the same, and
/// an `é` of one or of two code points. A resource or requestor that merely looks alike is another one here, so
/// identifiers compare and hash their UTF-8 bytes.
public protocol EntitlementIdentifier: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The identifier as it stands on the wire, case and white space preserved.
    var rawValue: String { get }

    /// Takes the text as it is: nothing is trimmed, folded or normalised.
    init(_ rawValue: String)
}

extension EntitlementIdentifier {
    /// Takes the literal as it is.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The identifier as it stands on the wire.
    public var description: String { rawValue }

    /// Compares UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.rawValue.hasSameBytes(as: other.rawValue)
    }

    /// Hashes UTF-8 bytes, in step with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: rawValue)
    }
}

/// Names a programmer's brand, for example `REF30`.
///
/// Case counts.
public struct RequestorID: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names what was authorized: a plain string such as `TNT`, or a whole MRSS fragment.
public struct ResourceID: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names a provider (multichannel video programming distributor) or a proxy provider.
public struct MVPDID: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names a subscriber by the broker's pseudonymous hash, 32 lowercase hexadecimal digits on the wire.
///
/// It stands for a person: keep it out of logs.
public struct SessionGUID: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}
