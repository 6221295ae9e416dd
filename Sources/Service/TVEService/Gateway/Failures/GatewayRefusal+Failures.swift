#if Service
import BrokerClient
package import EntitlementFlows
import EntitlementValues
package import PlaybackSessions
import TextCodecs

extension GatewayRefusal {
    /// Tells an app of what went wrong while its request was answered; `nil` if its connection broke.
    init?(any error: any Error) {
        switch error {
        case let refusal as GatewayRefusal: self = refusal
        case let error as RequestError: self.init(error)
        case let error as EntitlementFlowError: self.init(error)
        case let error as BrokerError: self.init(.broker(error))
        default: return nil
        }
    }

    /// Tells an app of a failure of the flows.
    package init(_ error: EntitlementFlowError) { self.init(GatewayFailure(error), detail: error.detailForApps) }

    /// Tells an app why its user may not watch, with the provider's own text and the addresses in it.
    package init(_ denial: AuthorizationDenial) {
        self.init(GatewayFailure(denial), detail: "\(denial)")
        (message, links) = (denial.message, denial.links)
    }

    /// Tells an app why a playback session does not begin, although the user may watch.
    package init(_ error: PlaybackSessionError) { self.init(GatewayFailure(error), detail: error.description) }

    private init(_ failure: GatewayFailure, detail: String) {
        let answer = failure.kind.answer
        self.init(
            answer.status, failure.code, doing: answer.action, detail: detail,
            retryAfter: answer.retryAfter.map { failure.retryAfter ?? .seconds($0) })
    }
}

extension EntitlementFlowError {
    /// What happened, and which request to make about it.
    ///
    /// The description names calls of the library, which an app that speaks HTTP does not have.
    var detailForApps: String {
        switch self {
        case .notAuthenticated: "the user is not signed in; begin with POST /v1/authentication"
        case .identityNeeded(let mvpd):
            "the provider \(mvpd.rawValue.printable) is promotional access, which needs an identity of the user; "
                + "send it as identity with POST /v1/authentication"
        case .codeEnded:
            "the sign-in's code ended before the user signed in; get a new one with POST /v1/authentication"
        // How the broker is reached, perhaps through a proxy, is nothing that apps are told.
        case .broker(.transport): "no answer came from the broker; ask again"
        case .requestorNotSet: "the service asked for no requestor; this is a fault of the service"
        default: description
        }
    }
}
#endif
