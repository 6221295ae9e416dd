#if Client
import EntitlementValues

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
                statements: [SimulatedStatement(id: "1f6b0e5c-5f3a-4a54-9d0b-2a6f2a1b7c01")]),
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
