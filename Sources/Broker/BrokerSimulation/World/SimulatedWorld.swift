#if Client
import BrokerMessages
public import EntitlementValues

/// What exists in a simulation: programmers with their software statements, providers, users and rules.
///
/// It is a value: change a copy of ``sample`` and start a simulator with it.
///
/// ```swift
/// var world = SimulatedWorld.sample
/// world.lifetimes.profile = .hours(1)
/// let simulator = try BrokerSimulator(world: world)
/// ```
public struct SimulatedWorld: Sendable, Hashable {
    /// The programmers' brands.
    public var requestors: [SimulatedRequestor]
    /// The providers, temporary access included.
    public var mvpds: [SimulatedMVPD]
    /// The users who can sign in.
    public var users: [SimulatedUser]
    /// What providers and the operator decide besides what users have; the first rule that fits decides.
    public var rules: [SimulatedRule]
    /// How long things last.
    public var lifetimes: SimulatedLifetimes
    /// How much one call may ask for.
    public var limits: SimulatedLimits

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - requestors: The programmers' brands.
    ///   - mvpds: The providers.
    ///   - users: The users who can sign in.
    ///   - rules: What is decided besides what users have.
    ///   - lifetimes: How long things last.
    ///   - limits: How much one call may ask for.
    public init(
        requestors: [SimulatedRequestor],
        mvpds: [SimulatedMVPD],
        users: [SimulatedUser],
        rules: [SimulatedRule] = [],
        lifetimes: SimulatedLifetimes = SimulatedLifetimes(),
        limits: SimulatedLimits = SimulatedLimits()
    ) {
        (self.requestors, self.mvpds, self.users) = (requestors, mvpds, users)
        (self.rules, self.lifetimes, self.limits) = (rules, lifetimes, limits)
    }

    /// The brand of an id.
    ///
    /// - Parameter id: The brand's id.
    /// - Returns: The brand; `nil` if there is none.
    public func requestor(_ id: RequestorID) -> SimulatedRequestor? { requestors.first { $0.id == id } }

    /// The provider of an id.
    ///
    /// - Parameter id: The provider's id.
    /// - Returns: The provider; `nil` if there is none.
    public func mvpd(_ id: MVPDID) -> SimulatedMVPD? { mvpds.first { $0.id == id } }

    /// The user of a name.
    ///
    /// - Parameter name: The user's name on the login page.
    /// - Returns: The user; `nil` if there is none.
    public func user(_ name: String) -> SimulatedUser? { users.first { $0.name == name } }
}

/// How long things last in a simulation.
///
/// The defaults are those of the broker's documentation and samples.
public struct SimulatedLifetimes: Sendable, Hashable {
    /// An access token: 6 hours, as in real tokens of 2024.
    public var accessToken = TimeToLive.hours(6)
    /// An authentication session and its code.
    public var code = TimeToLive.minutes(30)
    /// A profile.
    public var profile = TimeToLive.hours(30 * 24)
    /// The provider's decision about one resource.
    public var decision = TimeToLive.hours(24)
    /// A media token.
    public var mediaToken = TimeToLive.minutes(7)

    /// Makes the default lifetimes.
    public init() {}
}

/// How much one call may ask for.
public struct SimulatedLimits: Sendable, Hashable {
    /// How many resources `authorize` takes.
    public var authorizedResources = 1
    /// How many resources `preauthorize` takes.
    public var preauthorizedResources = 5
    /// How long the provider of the user `slow` takes for a decision.
    public var slowness = TimeToLive.seconds(3)

    /// Makes the default limits.
    public init() {}
}

extension SimulatedWorld {
    /// A brand, six providers and the users `ok`, `expired`, `invalidated`, `nozip`, `encrypted` and `slow`.
    ///
    /// Browsers may be sent back to `example.com`, to this machine, and to `ios.app`, which the address
    /// `adobepass://ios.app` of older applications names.
    public static let sample = SimulatedWorld(
        requestors: [
            SimulatedRequestor(
                "REF30",
                name: "Reference Brand",
                domains: ["example.com", "localhost", "127.0.0.1", "ios.app"],
                mvpds: SimulatedMVPD.samples.map(\.id),
                statements: [
                    SimulatedStatement(id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c01"),
                    SimulatedStatement(
                        id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c03", scopes: [AccessScope.temporaryAccess.rawValue]),
                ]),
            SimulatedRequestor(
                "REF40",
                name: "Second Brand",
                domains: ["example.org"],
                mvpds: ["SampleCable"],
                statements: [SimulatedStatement(id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c02")]),
        ],
        mvpds: SimulatedMVPD.samples,
        users: SimulatedUser.samples)
}

extension SimulatedMVPD {
    /// A regular provider, one without a logout page, both kinds of temporary access, and two of a device platform.
    static let samples: [SimulatedMVPD] = {
        let cable = SimulatedMVPD("SampleCable", displayName: "Sample Cable")
        var plain = SimulatedMVPD("SampleFiber", displayName: "Sample Fiber")
        plain.hasLogoutPage = false
        plain.proxy = "SampleProxy"
        var trial = SimulatedMVPD("TempPass", displayName: "Free preview")
        trial.temporaryAccess = TemporaryAccess(duration: .minutes(10))
        var promotion = SimulatedMVPD("PromoPass", displayName: "Promotional preview")
        promotion.temporaryAccess = TemporaryAccess(duration: .hours(24), maximumResources: 3, isPromotional: true)
        var supported = SimulatedMVPD("SampleSatellite", displayName: "Sample Satellite")
        supported.partner = PartnerIntegration(mappingID: "sample-satellite", boarding: .supported)
        var picker = SimulatedMVPD("SampleWireless", displayName: "Sample Wireless")
        picker.partner = PartnerIntegration(mappingID: "sample-wireless", boarding: .picker)
        return [cable, plain, trial, promotion, supported, picker]
    }()
}

extension SimulatedUser {
    /// One user for each state that a profile can be in.
    static let samples = [
        SimulatedUser("ok", guid: "a1f0c0de-0001", attributes: ordinary + [zip]),
        SimulatedUser("expired", guid: "a1f0c0de-0002", behavior: .expired, attributes: ordinary + [zip]),
        SimulatedUser("invalidated", guid: "a1f0c0de-0003", behavior: .invalidated, attributes: ordinary + [zip]),
        SimulatedUser("nozip", guid: "a1f0c0de-0004", attributes: ordinary),
        SimulatedUser(
            "encrypted", guid: "a1f0c0de-0005",
            attributes: ordinary + [SimulatedAttribute("zip", json: #"["77754"]"#, isEncrypted: true)]),
        SimulatedUser("slow", guid: "a1f0c0de-0006", behavior: .slow, attributes: ordinary + [zip]),
    ]

    private static let zip = SimulatedAttribute("zip", json: #"["77754"]"#)
    private static let ordinary = [
        SimulatedAttribute("householdID", json: #""sample-household""#),
        SimulatedAttribute("maxRating", json: #"{"MPAA":"PG-13","VCHIP":"TV-14"}"#),
    ]
}
#endif
