#if Service
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import RecordChecks
import SealedRecords
import TVEService
import Testing

/// What is left of a device that was forgotten, and how records get another key.
@Suite struct ErasureTests {
    @Test func `Of a forgotten device only a mark is left, until its last token has ended`() async throws {
        let time = ShiftedTime()
        let records = InMemoryRecordStore(time: time.source)
        try await GatewayBench.with(records: records, time: time) { bench in
            let before = records.count
            let token = try await bench.register()
            #expect(
                try await bench.ask(
                    "POST", "/v1/authentication", #"{"mvpd":"SampleCable","secondScreen":true}"#, token: token
                ).code == "code")
            #expect(try await bench.ask("PATCH", "/v1/devices", #"{"visitorId":"v"}"#, token: token).status == 200)
            #expect(records.count == before + 2, "the gateway's record, and that of the broker's client")
            #expect(try await bench.ask("DELETE", "/v1/devices", token: token).status == 200)
            #expect(records.count == before + 1)
            #expect(try await bench.ask("DELETE", "/v1/devices", token: token).status == 401)
            time.advance(by: .hours(31 * 24))
            #expect(records.count == before)
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", token: token).code == "device_token_expired")
        }
    }

    @Test func `A request that was admitted before does not make the records of a forgotten device anew`() async throws
    {
        let records = InMemoryRecordStore()
        try await GatewayBench.with(
            ["broker.clientAddressHeader": "X-Test-Address"], records: records
        ) { bench in
            let before = records.count
            let token = try await bench.signedIn()
            bench.store.actOnce(.afterRead) {
                let gone = try? await bench.ask("DELETE", "/v1/devices", token: token)
                #expect(gone?.code == "forgotten")
            }
            let profile = try await bench.ask("GET", "/v1/profile?refresh=1", token: token)
            #expect(profile.status == 401 && profile.object["mvpd"] == nil, "\(profile.text)")
            #expect(records.count == before + 1, "the mark alone")
        }
    }

    @Test func `A device without a record is forgotten, too: its token is good for nothing`() async throws {
        try await GatewayBench.with { bench in
            let token = try await bench.register()
            #expect(try await bench.ask("DELETE", "/v1/devices", token: token).code == "forgotten")
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", token: token).code == "device_token_revoked")
        }
    }

    @Test func `A sign-in that does not begin leaves no record`() async throws {
        let records = InMemoryRecordStore()
        try await GatewayBench.with(
            ["broker.clientAddressHeader": "X-Test-Address"], records: records
        ) { bench in
            let token = try await bench.signedIn()
            let before = records.count
            bench.activate(.status(503), at: .startSession)
            let failed = try await bench.ask(
                "POST", "/v1/authentication", #"{"mvpd":"SampleFiber","returnTo":"myapp://done","secondScreen":false}"#,
                token: token)
            #expect(failed.status == 503, "\(failed.text)")
            #expect(records.count == before)
            try bench.simulator.deactivate(scenario: "test")
            try await bench.expectSignedIn(token)
        }
    }

    @Test func `All records of a gateway can be sealed with a new key`() async throws {
        let records = InMemoryRecordStore()
        try await GatewayBench.with(records: records) { bench in
            let token = try await bench.register()
            #expect(try await bench.ask("PATCH", "/v1/devices", #"{"visitorId":"v"}"#, token: token).status == 200)
            #expect(
                try await bench.ask(
                    "POST", "/v1/authentication", #"{"mvpd":"SampleCable","secondScreen":true}"#, token: token
                ).code == "code")
            let ring = try SealingKeys(contentsOfFile: bench.folder.path("ring")).addingKey(id: "2")
            let directory = DeviceDirectory(in: records, sealer: RecordSealer(ring))
            var found: [Resealing] = []
            for summary in records.summaries(after: nil, limit: 100).summaries {
                found.append(try await directory.reseal(at: summary.key))
            }
            #expect(found.count == 3 && found.allSatisfy { $0 == .resealed }, "\(found)")
            // The gateway has the old ring, which does not open them; with the new one it goes on.
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", token: token).status == 503)
            try FileManager.default.removeItem(atPath: bench.folder.path("ring"))
            try ring.write(to: bench.folder.path("ring"))
            await bench.service.service.reload()
            #expect(try await bench.ask("PATCH", "/v1/devices", "{}", token: token).status == 200)
        }
    }

    @Test func `A store of another ring is not used, and the service is not ready`() async throws {
        let records = InMemoryRecordStore()
        try await GatewayBench.with(records: records) { bench in
            let (count, folder) = (records.count, try Folder())
            let settings = try GatewayBench.settings(in: folder, of: bench.simulator)
            try await RunningService.with(
                settings, time: bench.time.source, transport: bench.sent, devices: bench.store
            ) { service in
                let ready = try await service.askInternal(request("GET", "/readyz"))
                #expect(ready.status == 503 && ready.text.contains("devices_unavailable"), "\(ready.text)")
                let registered = try await service.post("/v1/devices", #"{"app":"tv"}"#)
                let token = try #require(registered.object["deviceToken"] as? String)
                let fields = ["Authorization: Bearer \(token)"]
                let refused = try await service.ask(
                    request("PATCH", "/v1/devices", fields: fields, body: Array("{}".utf8)))
                #expect(refused.status == 503 && refused.object["action"] as? String == "retry", "\(refused.text)")
            }
            withExtendedLifetime(folder) {}
            #expect(records.count == count)
        }
    }

    @Test func `A store that stalls after a reload is no news about its ring`() async throws {
        try await GatewayBench.with { bench in
            let isReady = { try await bench.service.askInternal(request("GET", "/readyz")).status == 200 }
            #expect(try await isReady())
            bench.store.setAway(true)
            await bench.service.service.reload()
            #expect(try await isReady())
            // A ring with another key has to be checked first.
            let ring = try SealingKeys(contentsOfFile: bench.folder.path("ring")).addingKey(id: "2")
            try FileManager.default.removeItem(atPath: bench.folder.path("ring"))
            try ring.write(to: bench.folder.path("ring"))
            await bench.service.service.reload()
            #expect(try await isReady() == false)
            bench.store.setAway(false)
            #expect(try await isReady())
        }
    }
}
#endif
