#if Service
import DeviceRecords
import EntitlementValues
import TVEService
import TVETesting
import TestVectors
import Testing

/// The places of requests that wait: so many of all devices, and so many of one.
@Suite struct LongPollsTests {
    /// Takes places of a device, and keeps them while `body` runs.
    private func taking(
        _ count: Int, of places: LongPolls, for device: DeviceKey, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        let isTaken = try await places.with(for: device) { _ in
            try await taking(count - 1, of: places, for: device, body)
            return true
        }
        #expect(isTaken == true)
    }

    /// Checks whether a device gets a place.
    private func expect(
        _ isFree: Bool, for device: DeviceKey, in places: LongPolls, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let isTaken = try await places.with(for: device) { _ in true } ?? false
        #expect(isTaken == isFree, sourceLocation: location)
    }

    @Test func `A device has four places, and others have theirs`() async throws {
        let places = LongPolls(connections: 64)
        try await taking(4, of: places, for: "greedy") {
            try await expect(false, for: "greedy", in: places)
            try await taking(4, of: places, for: "other") {
                try await expect(true, for: "third", in: places)
            }
        }
        try await expect(true, for: "greedy", in: places)
    }

    @Test func `All devices together have a quarter of the connections`() async throws {
        let places = LongPolls(connections: 16)
        try await taking(2, of: places, for: "one") {
            try await taking(2, of: places, for: "other") {
                try await expect(false, for: "third", in: places)
            }
            try await expect(true, for: "third", in: places)
        }
    }

    @Test func `A change wakes those who wait for its device, also if it comes before they wait`() async throws {
        let places = LongPolls(connections: 64)
        let time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))
        let isDone = try await places.with(for: "one") { wait in
            places.wake("other")
            async let change: Void = wait.change(within: .seconds(20), by: time.source)
            try await eventually { time.sleepers == 1 }
            #expect(places.count == 1)
            places.wake("one")
            await change
            places.wake("one")
            await wait.change(within: .seconds(20), by: time.source)
            return true
        }
        #expect(isDone == true && places.count == 0)
        try await eventually { time.sleepers == 0 }
    }

    @Test func `What has ended waits no more, whatever it hears`() async throws {
        let places = LongPolls(connections: 64)
        let time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))
        let isDone = try await places.with(for: "one") { wait in
            async let change: Void = wait.change(within: .seconds(20), by: time.source)
            try await eventually { time.sleepers == 1 }
            #expect(!wait.hasEnded)
            wait.end()
            await change
            places.wake("one")
            for _ in 0..<2 { await wait.change(within: .seconds(20), by: time.source) }
            return wait.hasEnded
        }
        #expect(isDone == true)
        try await eventually { time.sleepers == 0 }
    }

    @Test func `A request that fails gives its place back`() async throws {
        struct Failure: Error {}
        let places = LongPolls(connections: 4)
        await #expect(throws: Failure.self) { try await places.with(for: "one") { _ in throw Failure() } }
        try await expect(true, for: "one", in: places)
    }
}
#endif
