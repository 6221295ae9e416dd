#if Service
import DeviceRecords
import EntitlementValues
import HTTPTypes
import RecordChecks
import SealedRecords
import TVEService
import TVETesting
import Testing
import TextCodecs

/// The gateway's own records: changes that others make at the same time, ends, and what cannot be read.
@Suite struct GatewayDevicesTests {
    private static let start = Timestamp(milliseconds: 1_768_480_200_000)
    private let device: DeviceKey = "d"

    @Test func `A change is made in the end that others came before a hundred times`() async throws {
        let time = SkippingClock.source(from: Self.start)
        let contested = ObservedRecordStore(InMemoryRecordStore(time: time), losing: 100)
        let devices = GatewayDevices(in: contested, sealer: .unsealed, time: time)
        try await devices.forget(device, of: "app", until: Self.start + .hours(1))
        #expect(try await devices.record(of: device)?.isForgotten == true)
        #expect(contested.losses == 100)
    }

    @Test func `A change that always comes too late is given up after as long as a directory of devices tries`() async {
        let clock = SkippingClock()
        let contested = ObservedRecordStore(losing: .max)
        let devices = GatewayDevices(in: contested, sealer: .unsealed, time: clock.source(from: Self.start))
        let failure = await #expect(throws: SealedTableError.self) {
            try await devices.forget(device, of: "app", until: Self.start + .hours(1))
        }
        let refusal = failure.map { RequestError($0) }
        #expect(refusal?.status == .serviceUnavailable && refusal?.code == "device_record_contended")
        // The pauses of so many attempts are shorter than that.
        #expect(clock.now.uptime >= DeviceDirectory.patience && contested.losses > DeviceDirectory.minimumAttempts)
    }

    @Test func `The mark of a forgotten device is of the form of its records, and reading it is no use`() async throws {
        let time = ManualTime(at: Self.start)
        let records = InMemoryRecordStore(time: time.source)
        let store = ObservedRecordStore(records)
        let devices = GatewayDevices(in: store, sealer: .unsealed, time: time.source)
        let end = Self.start + .hours(31 * 24)
        #expect(try await devices.forget(device, of: "app", until: end) == nil)
        let key = try RecordSealer.unsealed.key(of: device.rawValue, for: .gatewayDevice)
        let stored = try #require(records.record(at: key))
        let beginning = #"{"key":"d","app":"app","generation":9223372036854775807,"used":true"#
        #expect(stored.bytes.starts(with: Array("tve".utf8) + [0, 0, 0, 0, 1] + Array(beginning.utf8)))
        #expect(stored.expires == end && store.written == [.full])
        time.advance(by: .hours(30 * 24))
        #expect(try await devices.record(of: device)?.isForgotten == true)
        #expect(store.counts.extensions == 0 && records.record(at: key) == stored)
        #expect(try await devices.forget(device, of: "app", until: end)?.isForgotten == true)
        time.advance(by: .hours(24))
        #expect(try await devices.record(of: device) == nil)
    }

    /// Such records lie in stores: a member of another name or form would be lost, or refused.
    @Test(arguments: [
        #"{"key":"d","app":"app","generation":1,"used":true,"signIns":{"current":0,"last":0}}"#,
        #"{"key":"d","app":"app","generation":1,"used":true,"signIns":{"current":1,"last":1,"open":{"number":0,"#
            + #""kind":"browser","state":"s","begun":1,"until":2,"proven":3},"logout":{"state":"l","until":4}}}"#,
        #"{"key":"d","app":"app","generation":2,"used":false,"info":"{\"model\":\"TV\"}","userAgent":"Sample/1 (TV)","#
            + #""visitor":"v","lastProvider":"P","identifier":"i","signIns":{"current":3,"last":6,"open":{"number":6,"#
            + #""kind":"code","state":"s6","begun":1,"until":2,"returnTo":"app://done","mvpd":"P","returned":3,"#
            + #""activationCode":"ABC","deviceName":"TV","mark":"m","#
            + #""proof":"p","there":false},"proved":{"number":3,"state":"s3","mvpd":"P","returnTo":"app://done","mark":"m","#
            + #""proof":"p","at":4,"plays":[{"session":"x","until":5}]},"overtaken":[{"number":2,"state":"s2","at":4}],"#
            + #""playing":[{"session":"y","until":5}],"signOuts":1,"spent":[{"number":1,"state":"s1","mvpd":"P","until":6,"#
            + #""plays":[{"session":"z","until":5}]}],"end":"cancelled","logout":{"state":"l","returnTo":"app://done","#
            + #""until":7,"pages":2}},"partner":{"status":"{\"frameworkPermissionInfo\":{\"accessStatus\":\"granted\"},"#
            + #"\"frameworkProviderInfo\":{}}","until":8,"asked":true}}"#,
    ])
    func `A record is written to the letter as it was read`(text: String) throws {
        let bytes = Array(text.utf8)
        let device = try bytes.withSpan { bytes throws(JSONFault) in try GatewayDevice(decoding: bytes) }
        #expect(String(decoding: device.encoded, as: UTF8.self) == text)
    }

    @Test(arguments: [
        (1, "{}", "device_record_damaged"), (2, "{}", "device_record_newer"), (nil, "", "sealing_key_unknown"),
    ])
    func `What cannot be read is refused with its code, and stays as it is`(
        schema: UInt32?,
        content: String,
        code: String
    ) async throws {
        let (time, store) = (ManualTime(at: Self.start).source, ObservedRecordStore())
        let sealer = RecordSealer(try SealingKeys.generate(id: "k"))
        let devices = GatewayDevices(in: store, sealer: sealer, time: time)
        let key = try sealer.key(of: device.rawValue, for: .gatewayDevice)
        // Sealed with another ring, if no form is given.
        let other = schema == nil ? RecordSealer(try SealingKeys.generate(id: "l")) : sealer
        let context = RecordContext(purpose: .gatewayDevice, schema: schema ?? 1, key: key, version: 5)
        let bytes = try Array(content.utf8).withSpan { content throws(SealingError) in
            try other.seal(content, in: context)
        }
        let record = StoredRecord(bytes: bytes, version: 5, expires: .now + .hours(1))
        #expect(try await store.replace(at: key, expecting: nil, with: record, durability: .full))
        let reading = await #expect(throws: SealedTableError.self) { try await devices.record(of: device) }
        let changing = await #expect(throws: SealedTableError.self) {
            try await devices.forget(device, of: "app", until: Self.start)
        }
        for refusal in [reading, changing].map({ $0.map { RequestError($0) } }) {
            #expect(refusal?.status == .serviceUnavailable && refusal?.code == code, "\(String(describing: refusal))")
        }
        #expect(store.written.count == 1)
    }

    @Test func `A store that is away is told with its code`() async {
        let store = ObservedRecordStore()
        let devices = GatewayDevices(in: store, sealer: .unsealed, time: ManualTime(at: Self.start).source)
        store.setAway()
        let failure = await #expect(throws: SealedTableError.self) { try await devices.record(of: device) }
        let refusal = failure.map { RequestError($0) }
        #expect(refusal?.status == .serviceUnavailable && refusal?.code == "record_store_unavailable")
    }
}
#endif
