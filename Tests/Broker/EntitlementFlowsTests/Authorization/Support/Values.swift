#if Client
import EntitlementFlows

extension AuthorizationOutcome {
    var playback: AuthorizedPlayback? { if case .permitted(let playback) = self { playback } else { nil } }
    var denial: AuthorizationDenial? { if case .denied(let denial) = self { denial } else { nil } }
}

extension AuthenticationStatus {
    var isAuthenticated: Bool { if case .authenticated = self { true } else { false } }
}

extension EntitlementFlowError {
    var isStore: Bool { if case .store = self { true } else { false } }
    var isBroker: Bool { if case .broker = self { true } else { false } }
}

extension [SessionEvent] {
    /// The only failure of a request for authorization among the events.
    var failure: TokenRequestFailure? {
        let all = compactMap { if case .tokenRequestFailed(let failure) = $0 { failure } else { nil } }
        return all.count == 1 ? all[0] : nil
    }

    /// The only tracking among the events.
    var tracking: TrackingEvent? {
        let all = compactMap { if case .tracking(let event) = $0 { event } else { nil } }
        return all.count == 1 ? all[0] : nil
    }

    /// The codes of the statuses among the events.
    var statuses: [String] { compactMap { if case .status(let status) = $0 { status.code.rawValue } else { nil } } }
}
#endif
