#if Client
public import EntitlementValues

/// A fault of the network, which the transport or the listener carries out: the simulator itself has no connections.
public enum NetworkFault: Sendable, Hashable {
    /// The answer comes late.
    case delay(TimeToLive)
    /// The connection ends before the broker has the request: nothing happened.
    case dropRequest
    /// The connection ends before the answer: the broker has done what was asked for.
    case dropAnswer
    /// The connection ends after the head of the answer, and before its body.
    case resetAfterHead

    /// The name: `delay:1500` (milliseconds), `drop-request`, `drop-answer` or `reset-after-head`.
    public var name: String {
        switch self {
        case .delay(let delay): "delay:\(delay.milliseconds)"
        case .dropRequest: "drop-request"
        case .dropAnswer: "drop-answer"
        case .resetAfterHead: "reset-after-head"
        }
    }

    /// Finds a fault by its name.
    ///
    /// - Parameter name: The name; `nil` is returned if no fault has it, or the delay is longer than an hour.
    public init?(named name: String) {
        switch name {
        case "drop-request": self = .dropRequest
        case "drop-answer": self = .dropAnswer
        case "reset-after-head": self = .resetAfterHead
        default:
            guard name.utf8.starts(with: "delay:".utf8), let milliseconds = Int64(name.dropFirst(6)),
                (0...3_600_000).contains(milliseconds)
            else { return nil }
            self = .delay(TimeToLive(milliseconds: milliseconds))
        }
    }
}
#endif
