#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TVETesting
import Testing

struct RepeatTests {
    /// Makes a call, moves time until it ends, and tells how often it was sent.
    private func run(
        _ call: BrokerCall<String>,
        priority: RequestPriority = .foreground,
        settings: BrokerSettings = BrokerSettings(),
        timeLimit: Duration? = nil,
        answering script: @escaping ScriptedBroker.Script
    ) async throws -> (Result<String, BrokerError>, [ScriptedBroker.Arrival]) {
        let bench = try Bench(settings: settings)
        try await bench.prepare()
        bench.server.go(on: script)
        let caller = try bench.caller
        let task = Task {
            await result { () throws(BrokerError) in
                try await caller.perform(call, priority: priority, timeLimit: timeLimit)
            }
        }
        let outcome = try await bench.finish(task)
        return (outcome, bench.server.calls)
    }

    // MARK: 429

    @Test(arguments: [BrokerCall.profiles, .session, .decision])
    func `After 429 any call is repeated, three times at most`(call: BrokerCall<String>) async throws {
        let (outcome, calls) = try await run(call, timeLimit: .seconds(60)) { _ in .throttled() }
        #expect(outcome.error == .throttled(retryAfter: nil))
        #expect(calls.count == 4)
        for (repeats, pair) in zip(calls, calls.dropFirst()).enumerated() {
            #expect(pair.1.uptime - pair.0.uptime >= .seconds(1 << repeats))
        }
    }

    @Test func `A repeat after 429 that is answered is a success`() async throws {
        let (outcome, calls) = try await run(.session) { $0.number < 2 ? .throttled() : HTTPAnswer("{}") }
        #expect(outcome == .success("{}"))
        #expect(calls.count == 3)
    }

    @Test(arguments: [
        ("2", 2), ("0", 1), ("5", 5), ("Thu, 15 Jan 2026 12:30:03 GMT", 3), ("Thu, 15 Jan 2026 12:29:00 GMT", 1),
    ])
    func `Retry-After is kept to, but never less than a second`(field: String, seconds: Int) async throws {
        let (outcome, calls) = try await run(.profiles) { arrival in
            arrival.number == 0 ? .throttled(retryAfter: field) : HTTPAnswer("{}")
        }
        #expect(outcome == .success("{}"))
        try #require(calls.count == 2)
        #expect(calls[1].uptime - calls[0].uptime >= .seconds(seconds))
        #expect(calls[1].uptime - calls[0].uptime < .seconds(seconds + 1))
    }

    @Test(arguments: [("11", 11), ("3600", 3600), ("Thu, 15 Jan 2026 12:31:00 GMT", 60)])
    func `A Retry-After past the deadline fails at once`(field: String, seconds: Int) async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { _ in .throttled(retryAfter: field) }
        let caller = try bench.caller
        // No time passes at all.
        let outcome = await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        #expect(outcome.error == .throttled(retryAfter: .seconds(seconds)))
        #expect(bench.server.calls.count == 1)
    }

    @Test(arguments: [
        "3601", "99999999999999999999", "-1", "+1", "1.5", "soon", "", "１", "Thu, 15 Jan 2026 13:30:01 GMT",
        "Thu, 32 Jan 2026 12:30:03 GMT", "Thu, 15 Jan 2026 12:30:03 CET",
    ])
    func `A Retry-After that is malformed or more than an hour is not believed`(field: String) async throws {
        let (outcome, calls) = try await run(.profiles) { arrival in
            arrival.number == 0 ? .throttled(retryAfter: field) : HTTPAnswer("{}")
        }
        #expect(outcome == .success("{}"))
        try #require(calls.count == 2)
        #expect(calls[1].uptime - calls[0].uptime < .seconds(2))
    }

    @Test func `A date in Retry-After is compared with the date of the answer`() async throws {
        let (outcome, calls) = try await run(.profiles) { arrival in
            // The broker's clock is a day ahead of ours.
            arrival.number == 0
                ? .throttled(retryAfter: "Fri, 16 Jan 2026 12:30:04 GMT").with(.date, "Fri, 16 Jan 2026 12:30:00 GMT")
                : HTTPAnswer("{}")
        }
        #expect(outcome == .success("{}"))
        try #require(calls.count == 2)
        #expect((Duration.seconds(4)..<Duration.seconds(5)).contains(calls[1].uptime - calls[0].uptime))
    }

    // MARK: 5xx and broken connections

    @Test(arguments: [500, 502, 503, 504])
    func `What is safe is repeated twice after a server error`(status: Int) async throws {
        let error: BrokerError =
            status == 500 ? .unreadable(UnreadableAnswer(.html(500))) : .unavailable(status: status, retryAfter: nil)
        for call in [BrokerCall.profiles, .decision] {
            let (outcome, calls) = try await run(call) { _ in .html(status) }
            #expect(outcome.error == error)
            #expect(calls.count == 3)
        }
        let (outcome, calls) = try await run(.session) { _ in .html(status) }
        #expect(outcome.error == error)
        #expect(calls.count == 1)
    }

    @Test(arguments: [408, 502, 503, 504])
    func `Who is out of service says after how long to ask again`(status: Int) async throws {
        for (field, wait) in [("7", Duration.seconds(7)), ("Thu, 15 Jan 2026 12:31:00 GMT", .seconds(60))] {
            let (outcome, calls) = try await run(.session) { _ in .html(status).with(.retryAfter, field) }
            #expect(outcome.error == .unavailable(status: status, retryAfter: wait))
            #expect(calls.count == 1)
        }
        let (outcome, _) = try await run(.session) { _ in .refusal("internal_server_error", status: status) }
        #expect(outcome.error?.code == "refused")
    }

    @Test(arguments: [
        ("configuration", 1), ("application-registration", 1), ("authentication", 1), ("retry", 3), ("none", 3),
    ])
    func `A server error that somebody has to act on is not repeated`(action: String, count: Int) async throws {
        let (outcome, calls) = try await run(.profiles) { _ in
            .refusal("invalid_configuration_platform", status: 500, action: action)
        }
        #expect(outcome.error != nil)
        #expect(calls.count == count)
    }

    @Test func `A caller is never told to try again at once`() async throws {
        let (outcome, calls) = try await run(.session) { _ in .throttled(retryAfter: "0") }
        #expect(outcome.error == .throttled(retryAfter: .seconds(1)))
        #expect(calls.count == 4)
    }

    @Test(arguments: [TransportFailure.Reason.reset, .connecting, .timeout], [true, false])
    func `Broken connections`(reason: TransportFailure.Reason, wasSent: Bool) async throws {
        let failure = TransportFailure(reason, mayHaveBeenSent: wasSent)
        for call in [BrokerCall.profiles, .decision] {
            let (outcome, calls) = try await run(call) { _ throws(TransportFailure) in throw failure }
            #expect(outcome.error == .transport(failure))
            #expect(calls.count == 3)
        }
        let (outcome, calls) = try await run(.session) { _ throws(TransportFailure) in throw failure }
        #expect(outcome.error == .transport(failure))
        #expect(calls.count == (wasSent ? 1 : 3))
    }

    @Test(arguments: [TransportFailure.Reason.tls, .tooLong, .malformed, .request, .shutDown])
    func `What stays as it is is not repeated`(reason: TransportFailure.Reason) async throws {
        let failure = TransportFailure(reason, mayHaveBeenSent: false)
        let (outcome, calls) = try await run(.profiles) { _ throws(TransportFailure) in throw failure }
        #expect(outcome.error == .transport(failure))
        #expect(calls.count == 1)
    }

    @Test(arguments: [400, 403, 404, 405])
    func `A refusal is not repeated`(status: Int) async throws {
        let (outcome, calls) = try await run(.profiles) { _ in .refusal("invalid_integration", status: status) }
        guard case .refused(let error, status: status)? = outcome.error else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.code == .invalidIntegration)
        #expect(calls.count == 1)
    }

    @Test func `A decision under temporary access is not repeated`() async throws {
        let decision = BrokerCall<String>.decision
        let call = BrokerCall<String>(.authorize, decision.request, repetition: .ifUnsent, read: decision.read)
        let (outcome, calls) = try await run(call) { _ in .html(503) }
        #expect(outcome.error == .unavailable(status: 503, retryAfter: nil))
        #expect(calls.count == 1)
    }

    @Test func `The settings say how often`() async throws {
        var settings = BrokerSettings()
        (settings.maximumRepeatsWhenThrottled, settings.maximumRepeatsAfterFailures) = (0, 1)
        #expect(try await run(.profiles, settings: settings, answering: { _ in .throttled() }).1.count == 1)
        #expect(try await run(.profiles, settings: settings, answering: { _ in .html(500) }).1.count == 2)
    }
}

extension BrokerCall: CustomTestStringConvertible {
    /// The endpoint.
    public var testDescription: String { endpoint.rawValue }
}
#endif
