#if Client
import EntitlementValues

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
    /// All of them are texts. What is not known is ``LegacyValue/null``, as are 1 to 3 of what failed, and error and details
    /// of an authorization that did not. Of a denial, the event itself has the provider (``mvpd``).
    public var array: [LegacyValue] {
        let machine = [device.deviceType, device.clientType, device.system].map(LegacyValue.text)
        let person: [LegacyValue] =
            isSuccess ? [LegacyValue(mvpd?.rawValue), LegacyValue(guid), .truth(isCached)] : [.null, .null, .null]
        return switch kind {
        case .authentication: [.truth(isSuccess)] + person + machine
        case .authorization:
            [.truth(isSuccess)] + person
                + (isSuccess ? [.null, .null] : [LegacyValue(refusal), LegacyValue(details)]) + machine
        case .providerSelection:
            [LegacyValue(mvpd?.rawValue)] + machine
        }
    }
}

extension LegacyValue {
    fileprivate static func truth(_ isTrue: Bool) -> LegacyValue { .text(isTrue ? "true" : "false") }
}

extension TrackingEvent.Kind {
    /// The name of the constant, for example `TRACKING_AUTHENTICATION`.
    public var legacyName: String {
        switch self {
        case .authentication: "TRACKING_AUTHENTICATION"
        case .authorization: "TRACKING_AUTHORIZATION"
        case .providerSelection: "TRACKING_GET_SELECTED_PROVIDER"
        }
    }

    /// The older name, for example `authenticationDetection`.
    public var olderName: String {
        switch self {
        case .authentication: "authenticationDetection"
        case .authorization: "authorizationDetection"
        case .providerSelection: "mvpdSelection"
        }
    }

    /// The value of the constant: 0, 1 or 2.
    public var legacyNumber: Int64 {
        switch self {
        case .authentication: 0
        case .authorization: 1
        case .providerSelection: 2
        }
    }
}
#endif
