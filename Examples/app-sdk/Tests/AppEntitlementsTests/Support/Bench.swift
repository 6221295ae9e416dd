import AppEntitlements
import Foundation
import Testing

extension DeviceDescription {
    static let phone = DeviceDescription(
        model: "Phone 1", version: "1", osName: "iOS", osVersion: "26", connectionType: "WiFi",
        primaryHardwareType: "MobilePhone")
}

/// A client with a scripted gateway.
@MainActor
struct Bench {
    nonisolated static let address = "https://tv.example.com"
    nonisolated static let returnTo = "exampletv://done"
    nonisolated static let playing = #"""
        {"code":"playing","mvpd":"SampleCable","session":"session-text","sessionId":"i","sessionExpires":1,
         "sessionCeiling":2,"events":[]}
        """#
    nonisolated static let signedIn =
        #"{"code":"authenticated","mvpd":"SampleCable","until":1900000000000,"events":[]}"#
    nonisolated static let providers = #"""
        {"code":"providers","providers":[{"id":"SampleCable","name":"Sample Cable"},
         {"id":"SampleFiber","name":"Sample Fiber"}]}
        """#

    let transport = ScriptedTransport()
    let time = TestTime()
    let recorder = Recorder()
    let client: EntitlementClient

    init(
        place: SignInPlace = .browser(returnTo: returnTo),
        partner: (any PartnerFramework)? = nil,
        store: any DeviceStateStore = InMemoryDeviceStateStore()
    ) throws {
        client = EntitlementClient(
            at: try #require(URL(string: Self.address)), device: .phone, signingIn: place, partner: partner,
            store: store, transport: transport, time: time.time)
        client.delegate = recorder
        transport.on("GET /v1/providers", .ok(Self.providers))
    }

    /// Names the app, as each test begins.
    func start() async throws {
        client.setRequestor("tv")
        try await recorder.until("setRequestorComplete 1")
    }
}
