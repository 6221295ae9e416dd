#if Client
public import ServiceResponses

/// One way in which a request goes wrong on demand.
///
/// Each has a name, such as `malformed:truncated`; control calls and the header `X-Sim-Scenario` take it.
public enum Scenario: Sendable, Hashable {
    /// The answer is an error with this code, and the action and status that are documented for it.
    ///
    /// At registration and for access tokens, the codes of RFC 7591 and RFC 6749 bring their own form, with status 400.
    case error(EnhancedErrorCode)
    /// The answer is an HTML page with this status, as from a proxy before the broker.
    case status(Int)
    /// Every decision is a denial with this code.
    case decision(EnhancedErrorCode)
    /// The answer cannot be read, or only by a tolerant client.
    case malformed(MalformedAnswer)
    /// Media tokens have a defect.
    case token(MediaTokenDefect)
    /// The network fails.
    case network(NetworkFault)
    /// The request is one too many; with so many seconds in `Retry-After`, or without.
    case throttled(retryAfter: Int?)

    /// The name.
    public var name: String {
        switch self {
        case .error(let code): "error:\(code.rawValue)"
        case .status(let status): "status:\(status)"
        case .decision(let code): "decision:\(code.rawValue)"
        case .malformed(let malformation): "malformed:\(malformation.rawValue)"
        case .token(let defect): "token:\(defect.rawValue)"
        case .network(let fault): "network:\(fault.name)"
        case .throttled(nil): "throttled"
        case .throttled(let seconds?): "throttled:\(seconds)"
        }
    }

    /// Finds a scenario by its name.
    ///
    /// - Parameter name: The name; `nil` is returned if no scenario has it.
    public init?(named name: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let argument = parts.count == 2 ? parts[1] : nil
        let found: Scenario? =
            switch (parts[0], argument) {
            case ("error", let code?) where !code.isEmpty: .error(EnhancedErrorCode(code))
            case ("decision", let code?) where !code.isEmpty: .decision(EnhancedErrorCode(code))
            case ("status", let text?):
                Int(text).flatMap { (400...599).contains($0) ? .status($0) : nil }
            case ("malformed", let text?): MalformedAnswer(rawValue: text).map { .malformed($0) }
            case ("token", let text?): MediaTokenDefect(rawValue: text).map { .token($0) }
            case ("network", let text?): NetworkFault(named: text).map { .network($0) }
            case ("throttled", nil): .throttled(retryAfter: nil)
            case ("throttled", let text?):
                Int(text).flatMap { (0...86_400).contains($0) ? .throttled(retryAfter: $0) : nil }
            default: nil
            }
        guard let found else { return nil }
        self = found
    }
}
#endif
