#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import TVETesting
import TestVectors
import Testing

extension RegistrationTable {
    fileprivate func registration(of device: DeviceKey) -> ClientRegistration { registration(of: device, at: .zero) }
}

struct RegistrationTableTests {
    private func key(_ number: Int) -> DeviceKey { DeviceKey("device-\(number)") }

    @Test func `A device has one registration, however often it is asked for`() {
        let table = RegistrationTable(capacity: 2)
        let first = table.registration(of: "a")
        #expect(table.registration(of: "a") === first)
        #expect(table.registration(of: "b") !== first)
        #expect(table.known(of: "a") === first)
        #expect(table.known(of: "c") == nil)
        #expect(table.count == 2)
    }

    @Test func `Of too many, the one goes that was not asked for the longest`() {
        let table = RegistrationTable(capacity: 2)
        for device in ["a", "b", "a", "c"] as [DeviceKey] { _ = table.registration(of: device) }
        #expect(table.known(of: "a") != nil && table.known(of: "c") != nil)
        #expect(table.known(of: "b") == nil)
    }

    @Test func `One that is in use stays, whatever comes after it`() {
        let table = RegistrationTable(capacity: 3)
        let held = table.registration(of: "held")
        for number in 0..<1000 { _ = table.registration(of: key(number)) }
        #expect(table.known(of: "held") === held)
        #expect(table.count == 3)
    }

    @Test func `The table is as large as it may be, and larger only while more are in use`() {
        let table = RegistrationTable(capacity: 10)
        for number in 0..<5000 { _ = table.registration(of: key(number)) }
        #expect(table.count == 10)
        var held = (0..<200).map { table.registration(of: key($0)) }
        #expect(table.count == 200)
        #expect(held.indices.allSatisfy { table.known(of: key($0)) === held[$0] })
        held = []
        for _ in 0..<200 { _ = table.registration(of: "next") }
        #expect(table.count == 10)
        #expect(table.known(of: "next") != nil)
    }

    @Test(arguments: UInt64(0)..<20)
    func `Uses and releases in any order keep what is in use`(seed: UInt64) {
        var noise = Noise(seed: seed)
        let table = RegistrationTable(capacity: 4)
        var held: [DeviceKey: ClientRegistration] = [:]
        for _ in 0..<2000 {
            let device = key(Int(noise.next() % 12))
            switch noise.next() % 8 {
            case 0, 1: held[device] = table.registration(of: device)
            case 2, 3: held[device] = nil
            default:
                _ = table.registration(of: device)
                #expect(table.count <= max(4, held.count + 1))
            }
            #expect(held.allSatisfy { table.known(of: $0.key) === $0.value })
        }
    }

    // MARK: Calls

    @Test func `Callers of one device share its token, also one that is made later`() async throws {
        let bench = try Bench()
        for _ in 0..<3 { _ = try await bench.caller.perform(.profiles) }
        #expect(bench.server.tokenRequests.count == 1 && bench.server.registrations.count == 1)
    }

    @Test func `A device that left the table goes on with what its record has`() async throws {
        var settings = BrokerSettings()
        settings.rememberedDevices = 1
        let bench = try Bench(settings: settings)
        let (key, info) = (bench.device.key, bench.device.info)
        _ = try await bench.caller.perform(.profiles)
        let other = Device(key: "other", identifier: bench.device.identifier, info: info)
        _ = try await bench.broker.caller(other, from: "203.0.113.8").perform(.profiles)
        // The job that brought the token may end a moment after the call.
        try await eventually("the first device leaves") {
            _ = bench.broker.caller(other, from: nil)
            return bench.broker.registrations.known(of: key) == nil
        }
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.registrations.count == 2 && bench.server.tokenRequests.count == 2)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-1"])
    }

    @Test func `A device whose token has ended leaves the table, unless it is in use`() async throws {
        let bench = try Bench()
        func caller(_ number: Int) -> Caller {
            let device = Device(key: key(number), identifier: bench.device.identifier, info: bench.device.info)
            return bench.broker.caller(device, from: nil)
        }
        for number in 0..<3 { _ = try await caller(number).perform(.profiles) }
        let held = caller(1)
        let table = bench.broker.registrations
        #expect(table.count == 3)
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime)))
        // The jobs that brought the tokens may end a moment after the calls.
        try await eventually("the others leave") {
            _ = caller(3)
            return table.count == 2
        }
        #expect(table.known(of: key(1)) === held.registration && table.known(of: key(3)) != nil)
    }

    @Test(arguments: ["device", "place", "subscriber"])
    func `The token of a device that was erased here is not used any more, and nothing of it is stored`(
        way: String
    ) async throws {
        let bench = try Bench()
        let key = bench.device.key
        let caller = try bench.caller
        _ = try await caller.perform(.profiles)
        switch way {
        case "device": #expect(try await bench.store.forget(key))
        case "place": #expect(try await bench.store.forget(at: bench.store.key(of: key)))
        default:
            try await bench.store.change(key) { $0.subject = "subscriber" }
            #expect(try await bench.store.forgetDevices(of: "subscriber") == 1)
        }
        #expect(try await bench.store.record(of: key) == nil)
        // Also by those who had a caller before.
        _ = try await caller.perform(.profiles)
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-2"])
        #expect(bench.server.registrations.count == 2)
        let credentials = try await bench.store.record(of: key)?.registrations[bench.broker.scope]?.credentials
        #expect(credentials?.clientID == "client-2")
    }

    @Test func `Erasing others costs a look at the record, and no token`() async throws {
        let bench = try Bench()
        _ = try await bench.caller.perform(.profiles)
        for number in 0..<3 {
            #expect(try await bench.store.forget(DeviceKey("other-\(number)")) == false)
            _ = try await bench.caller.perform(.profiles)
        }
        #expect(bench.server.calls.map(\.token) == Array(repeating: "token-1", count: 4))
    }

    // MARK: Brokers that are made of one another

    @Test func `Brokers of two applications share the count of requests, and neither clients nor tokens`() async throws
    {
        let bench = try Bench()
        let application = Broker.Application(bench.broker.application.statement, name: "other")
        let other = bench.broker.serving(application, records: bench.store)
        let callers = [try bench.caller, try other.caller(bench.device, from: Bench.clientAddress)]
        for _ in 0..<3 {
            for caller in callers { _ = try await caller.perform(.profiles) }
        }
        #expect(bench.server.calls.map(\.token) == (0..<6).map { "token-\($0 % 2 + 1)" })
        #expect(bench.server.registrations.count == 2 && bench.server.tokenRequests.count == 2)
        let registrations = try #require(try await bench.store.record(of: bench.device.key)).registrations
        #expect(registrations[bench.broker.scope]?.credentials.clientID == "client-1")
        #expect(registrations[other.scope]?.credentials.clientID == "client-2")
        // Ten requests went out, and eleven may at once.
        _ = try await callers[0].perform(.profiles)
        let late = await result { () throws(BrokerError) in
            try await callers[1].perform(.profiles, timeLimit: .milliseconds(1))
        }
        #expect(late.error?.code == "throttled")
    }

    @Test func `A broker at another place counts for itself, and has clients and tokens of its own`() async throws {
        let bench = try Bench()
        let here = bench.broker
        let there = here.moved(to: BrokerEnvironment(of: try BrokerOrigin(parsing: "https://other.example:8443")))
        #expect(there.pacer !== here.pacer && here.moved(to: here.environment).pacer === here.pacer)
        for broker in [here, there, here, there] {
            _ = try await broker.caller(bench.device, from: Bench.clientAddress).profiles(requestor: "REF30")
        }
        let places = ["broker.example", "other.example:8443"]
        #expect(bench.server.calls.map(\.request.authority) == places + places)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-1", "token-2"])
        #expect(bench.server.registrations.map(\.request.authority) == places)
        let registrations = try #require(try await bench.store.record(of: bench.device.key)).registrations
        #expect(registrations[here.scope]?.credentials.clientID == "client-1")
        #expect(registrations[there.scope]?.credentials.clientID == "client-2")
    }
}
#endif
