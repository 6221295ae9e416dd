#if Client
public import BrokerMessages

/// A request that is sent to the broker, or what came of it, with everything secret masked.
///
/// Paths show the values of no parameter, header fields only show harmless values, and bodies show the names of their
/// members, numbers of times, and the names that the broker's reference lists.
public struct BrokerTraceEvent: Sendable, Hashable {
    /// What the event is about.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A request goes out.
        case request
        /// An answer has come.
        case answer
        /// An answer did not come.
        case failure
    }

    /// What the event is about.
    public let kind: Kind
    /// The endpoint.
    public let endpoint: BrokerEndpoint
    /// Method and path, status, or failure, in one line.
    public let headline: String
    /// The header fields in the order of the message, values masked.
    public let fields: [String]
    /// The body, masked; `nil` if there is none.
    public let body: String?
}

extension BrokerTraceEvent: CustomStringConvertible {
    /// The headline, the header fields and the body, a line each.
    public var description: String {
        let mark =
            switch kind {
            case .request: "> "
            case .answer: "< "
            case .failure: "! "
            }
        return ([headline] + fields + (body.map { [$0] } ?? [])).map { mark + $0 }.joined(separator: "\n")
    }
}
#endif
