/// What `sendTrackingData` hands to analytics.
struct TrackingEvent: Sendable, Hashable {
    /// The kinds of the operator's library; the value is that of its constant.
    enum Kind: Int, Sendable, Hashable {
        /// `TRACKING_AUTHENTICATION`.
        case authentication = 0
        /// `TRACKING_AUTHORIZATION`.
        case authorization = 1
        /// `TRACKING_GET_SELECTED_PROVIDER`.
        case providerSelection = 2

        init?(name: String) {
            switch name {
            case "TRACKING_AUTHENTICATION": self = .authentication
            case "TRACKING_AUTHORIZATION": self = .authorization
            case "TRACKING_GET_SELECTED_PROVIDER": self = .providerSelection
            default: return nil
            }
        }
    }

    let kind: Kind
    /// The operator's array, index by index; what is not known is `nil`.
    let array: [String?]

    /// A sign-in that succeeded; which viewer it was, only a play tells.
    static func signedIn(at mvpd: String, cached: Bool, on device: DeviceDescription) -> TrackingEvent {
        let isCached = cached ? "true" : "false"
        return TrackingEvent(kind: .authentication, array: ["true", mvpd, nil, isCached] + device.tracked)
    }

    /// A sign-in that failed, or a viewer who is not signed in.
    static func notSignedIn(on device: DeviceDescription) -> TrackingEvent {
        TrackingEvent(kind: .authentication, array: ["false", nil, nil, nil] + device.tracked)
    }

    /// A play that was not permitted.
    static func notPermitted(_ error: String, details: String?, on device: DeviceDescription) -> TrackingEvent {
        TrackingEvent(kind: .authorization, array: ["false", nil, nil, nil, error, details] + device.tracked)
    }

    /// The text of the first system for a play that was not permitted; `nil` for other events.
    var error: String? { kind == .authorization && array.count > 4 ? array[4] : nil }
}
