#if Client
public import BrokerMessages
public import TextCodecs

/// What a device says of itself and wants: the operator's library calls it options.
///
/// They may be changed at any time, and count from the next call on. A call that is under way, or waits for its turn, keeps
/// the options with which it began: its requests have the address of the client that made it. The questions whether the user
/// has signed in, which go on after a call, use the newest options.
public struct SessionOptions: Sendable {
    /// When a subscriber of the device's own account is signed in.
    public enum PartnerSignIn: Sendable, Hashable {
        /// With `setRequestor`, without a question, as the operator's library did it.
        case silent
        /// When an authentication is asked for.
        case onDemand
    }

    /// The address of the client whose request is served now; the broker counts requests by it.
    public var clientAddress: ClientAddress?
    /// The visitor's identifier for analytics, which goes on all calls but registrations and the list of providers: those do
    /// not take it.
    public var visitorIdentifier: VisitorIdentifier?
    /// The name of an application profile, which goes on requests for the list of providers, and on no others: no other call
    /// of the broker takes it.
    public var profile: String?
    /// The token of the device's platform, for single sign-on.
    public var platformToken: PlatformToken?
    /// The token of an identity service, for single sign-on.
    public var serviceToken: ServiceToken?
    /// What the device's sign-on partner said, as long as it holds; `nil` for what the device's record has.
    ///
    /// Set it only if you keep the partner's word elsewhere.
    public var partnerStatus: PartnerFrameworkStatus?
    /// When a subscriber of the device's own account is signed in.
    public var partnerSignIn: PartnerSignIn = .silent
    /// Whether the device can ask its sign-on partner, as long as nothing is known of what the partner says; `nil` to take
    /// it from the device information: Apple's platforms, but no browsers.
    ///
    /// An app that does not answer ``AuthenticationStep/askPartner(_:)`` sets `false`.
    public var hasPartner: Bool?
    /// Where the user's browser comes back to; `nil` for the address of the application.
    ///
    /// An address of its own for each sign-in tells them apart when the browser comes back. Its host is one of the
    /// requestor's domains.
    public var redirect: String?
    /// Whether the device can open an address; `nil` to take it from the device information.
    ///
    /// Without a browser, a code is shown that the user types on another screen.
    public var hasUserAgent: Bool?
    /// Whether the app shows the system's browser by itself, as the operator's library was told with `handleSVC`.
    ///
    /// ``EntitlementSession/callbacks(of:)`` heeds it.
    public var namesSystemBrowser = false
    /// Whether the provider with which the user signed in last is taken again without a question.
    ///
    /// Not after a sign-in that failed, nor after a logout.
    public var remembersProvider = false
    /// Whether a change of provider ends the profile of the one before.
    public var loggingOutPrevious = false
    /// Whether the device's identifier may be read as metadata.
    public var revealsDeviceIdentifier = false

    /// Makes the default options.
    public init() {}
}

extension SessionOptions {
    /// Changes options by the dictionary of the operator's `setOptions`.
    ///
    /// The options `visitorID`, `applicationProfile` and `handleSVC` have their places here. `device_info` is what the
    /// device says of itself, in Base64, as JSON, or as a dictionary; hand what this returns to
    /// `setOptions(_:deviceInfo:)`. An option that is not in the dictionary stays as it is.
    ///
    /// - Parameter dictionary: The names and values.
    /// - Returns: What the device says of itself; `nil` if the dictionary does not have it.
    /// - Throws: `.unsupported(.handlingBrowser)` for `handleSVC: false`, `.unsupported(.unknownData)` for another
    ///   name, or a value of another type or form. Nothing has changed then.
    public mutating func adopt(
        legacyOptions dictionary: [String: JSON]
    ) throws(EntitlementFlowError) -> DeviceInfo? {
        var changed = self
        var info: DeviceInfo?
        for (name, value) in dictionary {
            switch (name, value) {
            case ("visitorID", .string(let text)):
                guard let visitor = try? VisitorIdentifier(text) else { throw .unsupported(.unknownData) }
                changed.visitorIdentifier = visitor
            case ("applicationProfile", .string(let text)): changed.profile = text
            case ("handleSVC", .bool(true)): changed.namesSystemBrowser = true
            case ("handleSVC", .bool(false)): throw .unsupported(.handlingBrowser)
            case ("device_info", .string(let text)):
                guard let stated = (try? DeviceInfo(headerValue: text)) ?? (try? DeviceInfo(json: text)) else {
                    throw .unsupported(.unknownData)
                }
                info = stated
            case ("device_info", .object(let object)):
                // In one order, so that the same dictionary says the same of the device each time.
                let sorted = JSON.Object(object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
                guard let stated = try? DeviceInfo(json: JSON.object(sorted).json) else {
                    throw .unsupported(.unknownData)
                }
                info = stated
            default: throw .unsupported(.unknownData)
            }
        }
        self = changed
        return info
    }
}
#endif
