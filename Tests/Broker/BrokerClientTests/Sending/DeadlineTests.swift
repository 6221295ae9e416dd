#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import TestVectors
import TVETesting
import Testing

struct DeadlineTests {
    private func start(
        _ bench: Bench,
        _ call: BrokerCall<String> = .profiles,
        priority: RequestPriority = .foreground,
        timeLimit: Duration? = nil
    ) throws -> Task<Result<String, BrokerError>, Never> {
        let caller = try bench.caller
        return Task {
            await result { () throws(BrokerError) in
                try await caller.perform(call, priority: priority, timeLimit: timeLimit)
            }
        }
    }

    @Test(arguments: [1, 10, 25])
    func `The whole time that is left goes to the transport`(seconds: Int) async throws {
        let bench = try Bench()
        try await bench.prepare()
        _ = try await start(bench, timeLimit: .seconds(seconds)).value
        #expect(bench.server.calls.map(\.timeLimit) == [.seconds(seconds)])
    }

    @Test func `Repeats and waits count against the limit`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { arrival throws(TransportFailure) in
            try await bench.server.wait(.milliseconds(2500), for: arrival)
            return .html(503)
        }
        let began = bench.source.uptime
        let outcome = try await bench.finish(try start(bench))
        #expect(outcome.error == .unavailable(status: 503, retryAfter: nil))
        #expect(bench.server.calls.count == 3)
        for call in bench.server.calls { #expect(call.uptime - began + call.timeLimit == .seconds(10)) }
    }

    @Test func `A slow answer is a timeout, and there is no time for a repeat`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { arrival throws(TransportFailure) in
            try await bench.server.wait(.seconds(3600), for: arrival)
            return nil
        }
        let outcome = try await bench.finish(try start(bench))
        #expect(outcome.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: true)))
        #expect(bench.server.calls.count == 1)
    }

    @Test func `A limit that has passed sends nothing`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        for limit in [Duration.zero, .seconds(-5)] {
            let outcome = try await start(bench, timeLimit: limit).value
            #expect(outcome.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: false)))
        }
        #expect(bench.server.calls.isEmpty)
        // Neither is a device registered.
        let fresh = try Bench()
        for limit in [Duration.zero, .seconds(-5)] {
            let outcome = try await start(fresh, timeLimit: limit).value
            #expect(outcome.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: false)))
        }
        #expect(fresh.server.arrivals.isEmpty)
    }

    @Test func `A wait for a turn past the limit fails at once as throttled`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        for _ in 0..<11 { #expect(try await start(bench).value.error == nil) }
        #expect(
            try await start(bench, timeLimit: .seconds(1)).value.error == .throttled(retryAfter: .milliseconds(1050)))
        #expect(bench.server.calls.count == 11)
    }

    @Test func `A poll that would wait is skipped`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        #expect(try await start(bench, priority: .polling).value.error == nil)
        #expect(
            try await start(bench, priority: .polling).value.error == .pollSkipped(retryAfter: .milliseconds(1050)))
        #expect(try await start(bench).value.error == nil)
        #expect(bench.server.calls.count == 2)
    }

    @Test func `Calls without a client address share a count`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        let call = BrokerCall.reading(.profiles, path: "/api/v2/REF30/profiles", clientAddress: nil)
        for _ in 0..<11 { #expect(try await start(bench, call).value.error == nil) }
        #expect(
            try await start(bench, call, timeLimit: .seconds(1)).value.error
                == .throttled(retryAfter: .milliseconds(1050)))
        #expect(try await start(bench).value.error == nil)
    }

    // MARK: Cancellation

    @Test func `A cancelled task sends nothing`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        let caller = try bench.caller
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        }
        task.cancel()
        #expect(await task.value.error == .cancelled)
        #expect(bench.server.calls.isEmpty)
    }

    @Test func `Cancellation ends a request at once`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { arrival throws(TransportFailure) in
            try await bench.server.wait(.seconds(5), for: arrival)
            return nil
        }
        let task = try start(bench)
        try await eventually("the request is on its way") { bench.server.calls.count == 1 && bench.time.sleepers == 1 }
        task.cancel()
        #expect(await task.value.error == .cancelled)
    }

    @Test func `Cancellation ends the wait before a repeat at once`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { _ in .throttled() }
        let task = try start(bench)
        try await eventually("it waits") { bench.server.calls.count == 1 && bench.time.sleepers == 1 }
        task.cancel()
        #expect(await task.value.error == .cancelled)
        #expect(bench.server.calls.count == 1)
    }

    @Test func `Cancellation ends the wait for a turn at once, and the turn is free again`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        for _ in 0..<11 { _ = try await start(bench).value }
        let task = try start(bench)
        try await eventually("it waits") { bench.time.sleepers == 1 }
        task.cancel()
        #expect(await task.value.error == .cancelled)
        bench.time.advance(by: .seconds(1))
        #expect(try await start(bench).value.error == nil)
    }
}
#endif
