#if Client
import BrokerClient
public import DeviceRecords
import EntitlementValues
public import ServiceResponses
public import TextCodecs

// Members of objects stand in the order of their names, since the operator's dictionaries have none.

extension MVPD {
    /// The properties of the operator's class `MVPD`.
    ///
    /// They are `ID`, `displayName`, `logoURL`, `enablePlatformServices` (`false` if the broker does not say) and
    /// `boardingStatus` (`nil`, `PICKER`, `SUPPORTED`, or a text that is not known).
    public var legacyDictionary: JSON { ChosenProvider(self).legacyDictionary }
}

extension ChosenProvider {
    /// The properties of the operator's class `MVPD`, as in the list of providers.
    public var legacyDictionary: JSON {
        [
            "ID": .string(id.rawValue),
            "boardingStatus": JSON(boardingStatus?.rawValue),
            "displayName": JSON(displayName),
            "enablePlatformServices": .bool(enablesPlatformServices ?? false),
            "logoURL": JSON(logoURL),
        ]
    }
}

extension Preauthorization {
    /// The answer of the operator's `preauthorize`: `resources`, each with `id`, `authorized`, and `error` for a denial
    /// that has one.
    ///
    /// Resources that the broker leaves out are not denied, so they are not in it either.
    public var legacyResponse: JSON {
        let resources = answers.filter { !$0.isNotMentioned }.map { answer in
            var members: JSON.Object = ["authorized": .bool(answer.isPermitted)]
            members["error"] = answer.error?.legacyStatus()
            members["id"] = .string(answer.resource.rawValue)
            return JSON.object(members)
        }
        return ["resources": .array(resources)]
    }
}

extension EntitlementFlowError {
    /// What the operator's `preauthorize` answered if it failed.
    ///
    /// An error of the broker is in `status`, beside an empty list. Failures of the library itself had the status 0 and
    /// codes of their own: `requestor_not_configured`, `authentication_session_missing`, `access_token_unavailable`,
    /// `server_response_format_unknown` and `network_error`. Failures that the library did not have carry ``code``.
    public var legacyPreauthorizeResponse: JSON {
        switch self {
        case .requestorNotSet: failure("requestor_not_configured", action: .retry)
        case .notAuthenticated: failure("authentication_session_missing", action: .authentication)
        case .broker(.refused(let error, let status)):
            ["resources": [], "status": error.legacyStatus(answeredWith: status)]
        case .broker(.registration): failure("access_token_unavailable", action: .noAction)
        case .broker(.unreadable), .broker(.unavailable):
            failure("server_response_format_unknown", action: .noAction)
        case .broker(.throttled), .broker(.pollSkipped): failure("network_error", action: "retry-after")
        case .broker(.transport), .noOrigin: failure("network_error", action: .noAction)
        default: failure(code, action: .noAction)
        }
    }

    private func failure(_ code: String, action: EnhancedErrorAction) -> JSON {
        ["action": .string(action.rawValue), "code": .string(code), "message": .string(description), "status": 0]
    }
}

extension EnhancedError {
    /// The operator's class `Status`; what is absent is left out, and the provider's text has no markup.
    fileprivate func legacyStatus(answeredWith answer: Int? = nil) -> JSON {
        var members: JSON.Object = [:]
        members["action"] = action.map { .string($0.rawValue) }
        members["code"] = code.map { .string($0.rawValue) }
        members["details"] = details.map { .string(ProviderText($0).message) }
        members["helpUrl"] = helpURL.map(JSON.string)
        members["message"] = message.map(JSON.string)
        members["status"] = (status ?? answer).map { .number(Int64($0)) }
        members["trace"] = trace.map(JSON.string)
        return .object(members)
    }
}

extension TrackingEvent {
    /// The array that the operator's library handed to `sendTrackingData`, index by index.
    ///
    /// | | Authentication | Authorization | Choice of a provider |
    /// |---|---|---|---|
    /// | 0 | `true` or `false` | `true` or `false` | provider |
    /// | 1 | provider | provider | type of the device |
    /// | 2 | user | user | type of the client |
    /// | 3 | cached: `true` or `false` | cached: `true` or `false` | system |
    /// | 4 | type of the device | error | |
    /// | 5 | type of the client | details | |
    /// | 6 | system | type of the device | |
    /// | 7 | | type of the client | |
    /// | 8 | | system | |
    ///
    /// All of them are texts. What is not known is `null`, as are 1 to 3 of what failed, and error and details
    /// of an authorization that did not. Of a denial, the event itself has the provider (``mvpd``).
    public var array: [JSON] {
        let machine = [device.deviceType, device.clientType, device.system].map(JSON.string)
        let refused: [JSON] = isSuccess ? [.null, .null] : [JSON(refusal), JSON(details)]
        let person: [JSON] = isSuccess ? [JSON(mvpd?.rawValue), JSON(guid), .truth(isCached)] : [.null, .null, .null]
        return switch kind {
        case .authentication: [.truth(isSuccess)] + person + machine
        case .authorization: [.truth(isSuccess)] + person + refused + machine
        case .providerSelection: [JSON(mvpd?.rawValue)] + machine
        }
    }
}

extension JSON {
    /// A text, or `null` if there is none.
    fileprivate init(_ text: String?) { self = text.map(JSON.string) ?? .null }

    fileprivate static func truth(_ isTrue: Bool) -> JSON { .string(isTrue ? "true" : "false") }
}

extension TrackingEvent.Kind {
    /// The name of the constant, for example `TRACKING_AUTHENTICATION`.
    public var legacyName: String { told.name }

    /// The older name, for example `authenticationDetection`.
    public var olderName: String { told.olderName }

    /// The value of the constant: 0, 1 or 2.
    public var legacyNumber: Int64 { told.number }

    private var told: (name: String, olderName: String, number: Int64) {
        switch self {
        case .authentication: ("TRACKING_AUTHENTICATION", "authenticationDetection", 0)
        case .authorization: ("TRACKING_AUTHORIZATION", "authorizationDetection", 1)
        case .providerSelection: ("TRACKING_GET_SELECTED_PROVIDER", "mvpdSelection", 2)
        }
    }
}
#endif
