public import EntitlementValues

/// Spells out which requestor and which resource a token must be for.
///
/// Both parts are always given: to leave a check out, say `.unchecked`. An empty text or an empty list makes every
/// verification fail with `ERROR_UNKNOWN` and the code `empty_expectation`.
///
/// A string literal is an expectation, a variable is not: for a variable say `.exactly(ResourceID(text))`.
public struct TokenExpectations: Sendable {
    /// The brands whose tokens are accepted.
    public var requestor: Expectation<RequestorID>
    /// The resources whose tokens are accepted.
    public var resource: Expectation<ResourceID>

    /// Spells out both expectations.
    ///
    /// - Parameters:
    ///   - requestor: The brands whose tokens are accepted.
    ///   - resource: The resources whose tokens are accepted.
    public init(requestor: Expectation<RequestorID>, resource: Expectation<ResourceID>) {
        self.requestor = requestor
        self.resource = resource
    }
}

extension TokenExpectations: CustomStringConvertible {
    /// Both expectations on one line.
    public var description: String { "requestor \(requestor), resource \(resource)" }
}
