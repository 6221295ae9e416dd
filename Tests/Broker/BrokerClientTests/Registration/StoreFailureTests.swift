#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues
import RecordChecks
import SealedRecords
import TVETesting
import Testing

struct StoreFailureTests {
    private let failure = BrokerError.store(.store(ObservedRecordStore.failure))

    private func bench() throws -> (Bench, ObservedRecordStore) {
        let store = ObservedRecordStore()
        return (try Bench(store: store), store)
    }

    private func call(_ bench: Bench) async throws -> BrokerError? {
        let caller = try bench.caller
        return await result { () throws(BrokerError) in try await caller.perform(.profiles) }.error
    }

    @Test func `A store that cannot be read fails closed: nothing is sent`() async throws {
        let (bench, store) = try bench()
        store.setAway(reading: true, writing: false)
        #expect(try await call(bench) == failure)
        #expect(bench.server.arrivals.isEmpty)
        store.setAway(reading: false, writing: false)
        #expect(try await call(bench) == nil)
        #expect(bench.server.registrations.count == 1)
    }

    @Test func `Credentials that cannot be stored are not used`() async throws {
        let (bench, store) = try bench()
        store.setAway(reading: false, writing: true)
        #expect(try await call(bench) == failure)
        #expect(bench.server.registrations.count == 1)
        #expect(bench.server.tokenRequests.isEmpty)
    }

    @Test func `A token that cannot be stored is used all the same`() async throws {
        let (bench, store) = try bench()
        _ = try await bench.caller.register()
        store.setAway(reading: false, writing: true)
        #expect(try await call(bench) == nil)
        #expect(try await call(bench) == nil)
        #expect(bench.server.tokenRequests.count == 1)
        // Another process asks for its own.
        let other = try bench.otherProcess()
        _ = try await other.perform(.profiles)
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.registrations.count == 1)
    }

    @Test func `After an erasure in this process, a token in memory needs the store once`() async throws {
        let (bench, store) = try bench()
        #expect(try await call(bench) == nil)
        #expect(try await bench.store.forget("other") == false)
        store.setAway(reading: true, writing: true)
        #expect(try await call(bench) == failure)
        store.setAway(reading: false, writing: false)
        #expect(try await call(bench) == nil)
        store.setAway(reading: true, writing: true)
        #expect(try await call(bench) == nil)
        #expect(bench.server.tokenRequests.count == 1 && bench.server.calls.count == 3)
    }

    @Test func `A token in memory needs no store`() async throws {
        let (bench, store) = try bench()
        #expect(try await call(bench) == nil)
        store.setAway(reading: true, writing: true)
        #expect(try await call(bench) == nil)
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime)))
        #expect(try await call(bench) == failure)
    }
}
#endif
