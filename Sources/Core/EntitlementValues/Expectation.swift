import TextCodecs

/// Says which values of a field are accepted: one, any of several, or all of them.
///
/// `Value` is an identifier, such as ``RequestorID``, or `String`. Texts compare byte by byte: case and white space count.
/// An expectation is always given. To leave a check out, say ``unchecked``; an empty text or an empty list is a mistake
/// in the configuration and makes every verification fail.
public struct Expectation<Value: Sendable>: Sendable {
    private let kind: ExpectationKind

    /// Accepts every value, also a missing one.
    ///
    /// Only for callers that check the value themselves.
    public static var unchecked: Self {
        Self(kind: .unchecked)
    }

    /// The texts that an error shows as expected; `nil` if every value is accepted.
    package var texts: [String]? {
        switch kind {
        case .anyOf(let texts): texts
        case .matching(let text, _): [text]
        case .unchecked: nil
        }
    }

    /// Whether the expectation names something: neither an empty list nor an empty text.
    package var isWellFormed: Bool {
        guard let texts else { return true }
        return !texts.isEmpty && texts.allSatisfy { !$0.isEmpty }
    }

    /// Tells whether a text meets the expectation.
    package func accepts(text: String) -> Bool {
        switch kind {
        case .anyOf(let texts): texts.contains { $0.hasSameBytes(as: text) }
        case .matching(_, let isMatch): isMatch(text)
        case .unchecked: true
        }
    }
}

/// What is accepted; the same for every type of value.
private enum ExpectationKind: Sendable {
    case anyOf([String])
    case matching(String, @Sendable (String) -> Bool)
    case unchecked
}

extension Expectation where Value: EntitlementIdentifier {
    /// Accepts one identifier.
    ///
    /// - Parameter identifier: The accepted identifier.
    /// - Returns: The expectation.
    public static func exactly(_ identifier: Value) -> Self {
        Self(kind: .anyOf([identifier.rawValue]))
    }

    /// Accepts any of several identifiers.
    ///
    /// - Parameter identifiers: The accepted identifiers.
    /// - Returns: The expectation.
    public static func anyOf(_ identifiers: [Value]) -> Self {
        // A key path would be made anew for each call of a generic function.
        Self(kind: .anyOf(identifiers.map { $0.rawValue }))
    }

    /// Accepts the identifiers that a comparison accepts; errors show `expected` as the one that was expected.
    ///
    /// `isMatch` compares a presented identifier with it.
    package static func matching(_ expected: Value, by isMatch: @escaping @Sendable (Value) -> Bool) -> Self {
        Self(kind: .matching(expected.rawValue) { isMatch(Value($0)) })
    }

    /// The identifiers that an error shows as expected; empty if every one is accepted.
    package var expected: [Value] { (texts ?? []).map { Value($0) } }

    /// Tells whether an identifier meets the expectation.
    package func accepts(_ identifier: Value) -> Bool { accepts(text: identifier.rawValue) }
}

extension Expectation where Value == String {
    /// Accepts one text.
    ///
    /// - Parameter text: The accepted text.
    /// - Returns: The expectation.
    public static func exactly(_ text: String) -> Self {
        Self(kind: .anyOf([text]))
    }

    /// Accepts any of several texts.
    ///
    /// - Parameter texts: The accepted texts.
    /// - Returns: The expectation.
    public static func anyOf(_ texts: [String]) -> Self {
        Self(kind: .anyOf(texts))
    }
}

extension Expectation: ExpressibleByStringLiteral {
    /// The same as `.exactly`.
    public init(stringLiteral value: String) {
        self.init(kind: .anyOf([value]))
    }
}

extension Expectation: CustomStringConvertible {
    /// The texts that are accepted, or `unchecked`.
    public var description: String {
        switch kind {
        case .unchecked: "unchecked"
        case .anyOf(let texts): texts.map { $0.printable }.joined(separator: " or ")
        case .matching(let text, _): "like \(text.printable)"
        }
    }
}
