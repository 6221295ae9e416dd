/// Says why a request to the gateway failed.
@nonexhaustive
public enum GatewayError: Error, Sendable, Hashable {
    /// The gateway refused; its refusal says what to do.
    case refused(GatewayRefusal)
    /// There is no answer, or not all of it.
    case transport(TransportFailure)
    /// The answer is not one of the gateway's: a proxy before it answered, or the address is another server's.
    case unreadable(status: Int, retryAfter: Duration?)
    /// The address is neither `https` nor on the loopback interface, or has a query; nothing was sent.
    case unsafeAddress
    /// What is known of the device cannot be read or kept.
    case storage
    /// No request was made yet that names the app: `setRequestor` comes first.
    case requestorNotSet
    /// There is no play of the resource whose session could be renewed.
    case notPlaying
    /// The task was cancelled.
    case cancelled
}

extension GatewayError {
    /// The stable name of the error.
    public var code: String {
        switch self {
        case .refused(let refusal): refusal.code
        case .transport(let failure): failure.rawValue
        case .unreadable: "unreadable"
        case .unsafeAddress: "unsafe_address"
        case .storage: "storage"
        case .requestorNotSet: "requestor_not_set"
        case .notPlaying: "not_playing"
        case .cancelled: "cancelled"
        }
    }

    /// What the app does about it.
    public var action: GatewayAction {
        switch self {
        case .refused(let refusal): refusal.action
        case .transport(.notTrusted), .transport(.tooLong): .none
        case .transport: .retry
        case .unreadable(let status, _): status == 429 || status >= 500 ? .retry : .none
        case .unsafeAddress, .storage, .requestorNotSet, .notPlaying, .cancelled: .none
        }
    }

    /// How long to wait before asking again; `nil` if it is not known.
    public var retryAfter: Duration? {
        switch self {
        case .refused(let refusal): refusal.retryAfter
        case .unreadable(_, let retryAfter): retryAfter
        default: nil
        }
    }

    /// What the operator's library would have told of the request.
    var events: [GatewayEvent] { if case .refused(let refusal) = self { refusal.events } else { [] } }

    /// The provider's text for the viewer; `nil` if there is none.
    var message: String? { if case .refused(let refusal) = self { refusal.message } else { nil } }

    /// Addresses in that text, all of them `https`.
    var links: [String] { if case .refused(let refusal) = self { refusal.links } else { [] } }

    /// Whether the gateway has not answered, or cannot now: what was known of the viewer before is still so.
    var saysNothingOfViewer: Bool { if case .transport = self { true } else { action == .retry } }

    /// Whether the viewer has to sign in; promotional access wants an identity instead.
    var asksForSignIn: Bool { action == .signIn && OldMeaning.table[code] != .generic }
}

extension GatewayError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .refused(let refusal): "the gateway refused: \(refusal)"
        case .transport(let failure): "there is no answer of the gateway (\(failure.rawValue))"
        case .unreadable(let status, _):
            "the answer with the status \(status) is not one of the gateway; look at its address and at the proxy before it"
        case .unsafeAddress: "the gateway's address is neither https nor on the loopback interface, or has a query"
        case .storage: "what is known of the device cannot be read or kept; look at its DeviceStateStore"
        case .requestorNotSet: "no app is named yet; call setRequestor first, and see whether it succeeds"
        case .notPlaying: "there is no play of the resource; call getAuthorization first"
        case .cancelled: "the task was cancelled"
        }
    }
}
