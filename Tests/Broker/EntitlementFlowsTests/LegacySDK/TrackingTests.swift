#if Client
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Testing

/// The arrays of `sendTrackingData`, index by index, and what they say of devices.
@Suite struct TrackingTests {
    private static let device = TrackedDevice(deviceType: "tablet", clientType: "ios", system: "iPadOS")
    private static let guid = "0cc175b9c0f1b6a831c399e269772661"

    private static func texts(_ texts: [String?]) -> [JSON] { texts.map { $0.map(JSON.string) ?? .null } }

    @Test func `An authentication has seven places`() {
        let event = TrackingEvent(
            .authentication, isSuccess: true, mvpd: "TestMVPD", guid: Self.guid, isCached: true, on: Self.device)
        #expect(event.array == Self.texts(["true", "TestMVPD", Self.guid, "true", "tablet", "ios", "iPadOS"]))
    }

    @Test func `An authentication that failed names neither provider nor user`() {
        let event = TrackingEvent(
            .authentication, isSuccess: false, mvpd: "TestMVPD", guid: Self.guid, isCached: true, on: Self.device)
        #expect(event.array == Self.texts(["false", nil, nil, nil, "tablet", "ios", "iPadOS"]))
    }

    @Test func `A user who is not known is null`() {
        let event = TrackingEvent(.authentication, isSuccess: true, mvpd: "TestMVPD", on: Self.device)
        #expect(event.array == Self.texts(["true", "TestMVPD", nil, "false", "tablet", "ios", "iPadOS"]))
    }

    @Test func `An authorization has nine places`() {
        let event = TrackingEvent(
            .authorization, isSuccess: true, mvpd: "TestMVPD", guid: Self.guid, refusal: "not this",
            details: "nor this", on: Self.device)
        #expect(
            event.array
                == Self.texts(["true", "TestMVPD", Self.guid, "false", nil, nil, "tablet", "ios", "iPadOS"]))
    }

    @Test func `An authorization that failed has error and details, and no provider`() {
        let event = TrackingEvent(
            .authorization, isSuccess: false, mvpd: "TestMVPD", guid: Self.guid, isCached: true,
            refusal: "User not Authorized Error",
            details: "Buy more", on: Self.device)
        #expect(
            event.array
                == Self.texts([
                    "false", nil, nil, nil, "User not Authorized Error", "Buy more", "tablet", "ios",
                    "iPadOS",
                ]))
    }

    @Test func `A choice of a provider has four places`() {
        let event = TrackingEvent(.providerSelection, isSuccess: true, mvpd: "TestMVPD", on: Self.device)
        #expect(event.array == Self.texts(["TestMVPD", "tablet", "ios", "iPadOS"]))
    }

    @Test(arguments: [
        (TrackingEvent.Kind.authentication, "TRACKING_AUTHENTICATION", "authenticationDetection", Int64(0)),
        (.authorization, "TRACKING_AUTHORIZATION", "authorizationDetection", 1),
        (.providerSelection, "TRACKING_GET_SELECTED_PROVIDER", "mvpdSelection", 2),
    ])
    func `An event has a name, an older name and a number`(
        kind: TrackingEvent.Kind, name: String, older: String, number: Int64
    ) {
        #expect(kind.legacyName == name && kind.olderName == older && kind.legacyNumber == number)
        let event = TrackingEvent(kind, isSuccess: true, mvpd: "M", on: Self.device)
        #expect(
            SessionEvent.tracking(event).callbacks()
                == [LegacyCallback("sendTrackingData:forEventType:", .array(event.array), .number(number))])
    }

    @Test func `An event does not show the user`() {
        let event = TrackingEvent(.authentication, isSuccess: true, mvpd: "M", guid: Self.guid, on: Self.device)
        var dumped = "\(event)"
        dump(event, to: &dumped)
        #expect(!dumped.contains(Self.guid))
        #expect(event.guid == Self.guid)
    }

    // MARK: Devices

    @Test(arguments: [
        ("Desktop", "computer"), ("Tablet", "tablet"), ("MobilePhone", "mobile"), ("GamesConsole", "gameconsole"),
        ("TV", "unknown"), ("SetTopBox", "unknown"), ("desktop", "unknown"),
    ])
    func `The type of a device is one of five`(hardware: String, type: String) throws {
        let info = try DeviceInfo(json: #"{"primaryHardwareType":"\#(hardware)"}"#)
        #expect(TrackedDevice(info).deviceType == type)
    }

    @Test(arguments: [
        ("iOS", "ios"), ("iPadOS", "ios"), ("tvOS", "ios"), ("Android", "android"), ("Fire OS", "android"),
        ("FireOS", "android"), ("Roku OS", "roku os"), ("webOS", "webos"), ("Windows", "windows"),
    ])
    func `The type of a client comes from its system`(system: String, type: String) throws {
        let device = TrackedDevice(try DeviceInfo(json: #"{"osName":"\#(system)"}"#))
        #expect(device.clientType == type)
        #expect(device.system == system)
    }

    @Test func `A browser is html5 on each system`() throws {
        for system in ["Windows", "iOS", "Android"] {
            let info = try DeviceInfo(json: #"{"osName":"\#(system)","browserName":"Chrome"}"#)
            #expect(TrackedDevice(info) == TrackedDevice(deviceType: "unknown", clientType: "html5", system: system))
        }
        let app = try DeviceInfo(json: #"{"osName":"iOS","browserName":""}"#)
        #expect(TrackedDevice(app).clientType == "ios")
    }

    @Test(arguments: ["{}", #"{"osName":""}"#, #"{"osName":true}"#])
    func `What a device does not state is unknown`(json: String) throws {
        #expect(
            TrackedDevice(try DeviceInfo(json: json))
                == TrackedDevice(deviceType: "unknown", clientType: "unknown", system: "unknown"))
    }
}
#endif
