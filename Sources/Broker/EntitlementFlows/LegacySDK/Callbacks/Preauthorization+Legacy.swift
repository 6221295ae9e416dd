#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses

extension Preauthorization {
    /// The answer of the operator's `preauthorize`: `resources`, each with `id`, `authorized`, and `error` for a denial
    /// that has one.
    public var legacyResponse: LegacyValue {
        .dictionary([
            "resources": .list(
                answers.map { answer in
                    var members: [String: LegacyValue] = [
                        "id": .text(answer.resource.rawValue), "authorized": .boolean(answer.isPermitted),
                    ]
                    members["error"] = answer.error?.legacyStatus()
                    return .dictionary(members)
                })
        ])
    }
}

extension EntitlementFlowError {
    /// What the operator's `preauthorize` answered if it failed.
    ///
    /// An error of the broker is in `status`, beside an empty list. Failures of the library itself had the status 0 and
    /// codes of their own: `requestor_not_configured`, `authentication_session_missing`, `access_token_unavailable`,
    /// `server_response_format_unknown` and `network_error`. Failures that the library did not have carry ``code``.
    public var legacyPreauthorizeResponse: LegacyValue {
        switch self {
        case .requestorNotSet: failure("requestor_not_configured", action: .retry)
        case .notAuthenticated: failure("authentication_session_missing", action: .authentication)
        case .broker(.refused(let error, let status)):
            .dictionary(["resources": .list([]), "status": error.legacyStatus(answeredWith: status)])
        case .broker(.registration): failure("access_token_unavailable", action: .noAction)
        case .broker(.unreadable), .broker(.unavailable):
            failure("server_response_format_unknown", action: .noAction)
        case .broker(.throttled), .broker(.pollSkipped): failure("network_error", action: "retry-after")
        case .broker(.transport), .noOrigin: failure("network_error", action: .noAction)
        default: failure(code, action: .noAction)
        }
    }

    private func failure(_ code: String, action: EnhancedErrorAction) -> LegacyValue {
        .dictionary([
            "status": .integer(0), "code": .text(code), "message": .text(description), "action": .text(action.rawValue),
        ])
    }
}

extension EnhancedError {
    /// The operator's class `Status`; what is absent is left out, and the provider's text has no markup.
    fileprivate func legacyStatus(answeredWith answer: Int? = nil) -> LegacyValue {
        var members: [String: LegacyValue] = [:]
        members["status"] = (status ?? answer).map { .integer(Int64($0)) }
        members["code"] = code.map { .text($0.rawValue) }
        members["message"] = message.map(LegacyValue.text)
        members["details"] = details.map { .text(ProviderText($0).message) }
        members["helpUrl"] = helpURL.map(LegacyValue.text)
        members["trace"] = trace.map(LegacyValue.text)
        members["action"] = action.map { .text($0.rawValue) }
        return .dictionary(members)
    }
}
#endif
