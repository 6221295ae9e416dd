import TextCodecs
public import EntitlementValues

/// Spells out what a token must be for.
///
/// Both parts are always given: a check that is not wanted is `.unchecked`, and an empty string or list is never taken
/// for one — it makes every verification fail with `ERROR_UNKNOWN`.
public struct TokenExpectations: Sendable {
    /// The brands whose tokens are accepted.
    public var requestor: Expectation<RequestorID>
    /// The resources whose tokens are accepted.
    public var resource: Expectation<ResourceID>

    /// Spells out both expectations.
    public init(requestor: Expectation<RequestorID>, resource: Expectation<ResourceID>) {
        self.requestor = requestor
        self.resource = resource
    }
}

/// Says which identifiers are accepted.
///
/// Identifiers compare byte by byte: case and white space count.
public struct Expectation<Identifier: EntitlementIdentifier>: Sendable {
    private enum Kind: Sendable {
        case anyOf([Identifier])
        case matching(Identifier, @Sendable (Identifier) -> Bool)
        case unchecked
    }

    private let kind: Kind

    /// Accepts one identifier.
    public static func exactly(_ identifier: Identifier) -> Self {
        Self(kind: .anyOf([identifier]))
    }

    /// Accepts any of several identifiers.
    public static func anyOf(_ identifiers: [Identifier]) -> Self {
        Self(kind: .anyOf(identifiers))
    }

    /// Accepts every identifier.
    ///
    /// Only for callers that check it themselves.
    public static var unchecked: Self {
        Self(kind: .unchecked)
    }

    /// Accepts what a comparison accepts; the identifier is what the error shows as expected.
    package static func matching(_ expected: Identifier, by isMatch: @escaping @Sendable (Identifier) -> Bool) -> Self {
        Self(kind: .matching(expected, isMatch))
    }

    /// What an error shows as expected.
    var expected: [Identifier] {
        switch kind {
        case .anyOf(let identifiers): identifiers
        case .matching(let identifier, _): [identifier]
        case .unchecked: []
        }
    }

    /// Whether the expectation could be meant: an empty one is a slip of configuration.
    package var isWellFormed: Bool {
        if case .unchecked = kind { return true }
        return !expected.isEmpty && expected.allSatisfy { !$0.rawValue.isEmpty }
    }

    /// Tells whether an identifier meets the expectation.
    package func accepts(_ identifier: Identifier) -> Bool {
        switch kind {
        case .anyOf(let identifiers):
            identifiers.contains(identifier)
        case .matching(_, let isMatch): isMatch(identifier)
        case .unchecked: true
        }
    }
}

extension Expectation: ExpressibleByStringLiteral {
    /// The same as `.exactly`.
    public init(stringLiteral value: String) {
        self = .exactly(Identifier(value))
    }
}

extension Expectation: CustomStringConvertible {
    /// The identifiers that are accepted, or `unchecked`.
    public var description: String {
        switch kind {
        case .unchecked: "unchecked"
        case .anyOf(let identifiers): identifiers.map { $0.rawValue.printable }.joined(separator: " or ")
        case .matching(let identifier, _): "like \(identifier.rawValue.printable)"
        }
    }
}

extension TokenExpectations: CustomStringConvertible {
    /// Both expectations on one line.
    public var description: String { "requestor \(requestor), resource \(resource)" }
}
