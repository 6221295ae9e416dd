#if Service
import DeviceRecords
import EntitlementValues
import HTTPTypes
import RecordChecks
import SealedRecords
import TVEService
import TVETesting
import Testing

/// Changes of the gateway's own records that others make at the same time.
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
        let refusal = await #expect(throws: GatewayRefusal.self) {
            try await devices.forget(device, of: "app", until: Self.start + .hours(1))
        }
        #expect(refusal?.status == .serviceUnavailable && refusal?.code == "device_record_contended")
        // The pauses of so many attempts are shorter than that.
        #expect(clock.now.uptime >= DeviceDirectory.patience && contested.losses > DeviceDirectory.minimumAttempts)
    }
}
#endif
