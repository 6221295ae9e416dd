#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import RecordChecks
import SealedRecords
import ServiceResponses
import Synchronization
import TestVectors
import TVETesting
import Testing

struct AccessTokenTests {
    private func call(_ bench: Bench) throws -> Task<Result<String, BrokerError>, Never> {
        // An address each, so that none waits for its turn.
        let number = Self.numbers.withLock { number in
            number += 1
            return number
        }
        let caller = try bench.broker.caller(bench.device, from: "2001:db8::\(String(number, radix: 16))")
        let address = caller.clientAddress?.headerValue
        return Task {
            await result { () throws(BrokerError) in
                let call = BrokerCall.reading(.profiles, path: "/api/v2/REF30/profiles", clientAddress: address)
                return try await caller.perform(call)
            }
        }
    }

    private static let numbers = Mutex(0)

    private func endToken(_ bench: Bench) {
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime)))
    }

    // MARK: One request for all

    @Test func `A hundred calls with an ended token make one request`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        endToken(bench)
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/token" { try await server.wait(.seconds(1), for: arrival) }
            return nil
        }
        let calls = try (0..<100).map { _ in try call(bench) }
        try await eventually("all wait for the token") { bench.time.sleepers == 101 }
        bench.time.advance(by: .seconds(1))
        for call in calls { #expect(await call.value.error == nil) }
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.calls.count == 100)
        #expect(bench.server.calls.allSatisfy { $0.token == "token-2" })
    }

    @Test(arguments: [[0], [99], [50], Array(0..<99), [3, 1, 4, 15, 92, 65]])
    func `Cancelling any of them disturbs no other`(cancelled: [Int]) async throws {
        let bench = try Bench()
        try await bench.prepare()
        endToken(bench)
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/token" { try await server.wait(.seconds(1), for: arrival) }
            return nil
        }
        let calls = try (0..<100).map { _ in try call(bench) }
        try await eventually("all wait for the token") { bench.time.sleepers == 101 }
        for index in cancelled {
            calls[index].cancel()
            #expect(await calls[index].value.error == .cancelled)
        }
        bench.time.advance(by: .seconds(1))
        for (index, call) in calls.enumerated() where !cancelled.contains(index) {
            #expect(await call.value.error == nil)
        }
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.calls.count == 100 - cancelled.count)
    }

    @Test func `If all are cancelled, so is the request`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        endToken(bench)
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/token" { try await server.wait(.seconds(1), for: arrival) }
            return nil
        }
        let calls = try (0..<10).map { _ in try call(bench) }
        try await eventually("all wait for the token") { bench.time.sleepers == 11 }
        for call in calls {
            call.cancel()
            #expect(await call.value.error == .cancelled)
        }
        try await eventually("the request ends") { bench.time.sleepers == 0 }
    }

    @Test func `A call with a short limit leaves, and the others have their token`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        endToken(bench)
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/token" { try await server.wait(.seconds(5), for: arrival) }
            return nil
        }
        let patient = try call(bench)
        try await eventually("the first waits") { bench.time.sleepers == 2 }
        let caller = try bench.caller
        let hasty = Task {
            await result { () throws(BrokerError) in
                try await caller.perform(.profiles, timeLimit: .seconds(2))
            }
        }
        try await eventually("both wait") { bench.time.sleepers == 3 }
        bench.time.advance(by: .seconds(2))
        #expect(await hasty.value.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: false)))
        bench.time.advance(by: .seconds(3))
        #expect(await patient.value.error == nil)
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `The wait for a token has the limit of its call, if that is longer`() async throws {
        let bench = try Bench { arrival in
            arrival.path == "/o/client/token" && arrival.number == 0 ? .throttled(retryAfter: "20") : nil
        }
        let caller = try bench.caller
        let outcome = try await bench.time.flowing(once: { bench.time.pauses == 1 }) {
            await result { () throws(BrokerError) in
                try await caller.perform(.profiles, timeLimit: .seconds(86_400))
            }
        }
        #expect(outcome.error == nil)
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `A broker that wants to be left alone is asked once, however many calls wait`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        endToken(bench)
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            guard arrival.path == "/o/client/token" else { return nil }
            try await server.wait(.seconds(1), for: arrival)
            return .throttled(retryAfter: "3600")
        }
        let calls = try (0..<20).map { _ in try call(bench) }
        try await eventually("all wait for the token") { bench.time.sleepers == 21 }
        bench.time.advance(by: .seconds(1))
        try await eventually("none asks once more") { bench.time.sleepers == 0 }
        for call in calls { #expect(await call.value.error?.code == "throttled") }
        #expect(bench.server.tokenRequests.count == 2)
    }

    // MARK: No new token

    /// A call for whose turn a throttled request for a token does not count.
    private func otherCall(_ caller: Caller) -> Task<Result<String, BrokerError>, Never> {
        Task {
            await result { () throws(BrokerError) in
                let call = BrokerCall.reading(
                    .profiles, path: "/api/v2/REF30/profiles", clientAddress: "198.51.100.9")
                return try await caller.perform(call)
            }
        }
    }

    @Test(arguments: ["down", "throttled", "page", "slow"])
    func `A token is used to its end while no other can be had`(way: String) async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 30))
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            guard arrival.path == "/o/client/token" else { return nil }
            switch way {
            case "down": throw TransportFailure(.connecting, mayHaveBeenSent: false)
            case "throttled": return .throttled(retryAfter: "3600")
            case "page": return .html(503)
            default:
                try await server.wait(.seconds(3600), for: arrival)
                return nil
            }
        }
        var requests: [Int] = []
        for _ in 0..<3 {
            let call = otherCall(try bench.caller)
            #expect(try await bench.finish(call, with: 2).error == nil)
            requests.append(bench.server.tokenRequests.count)
        }
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1", "token-1"])
        // Not each call asks.
        #expect(requests[0] > 1 && requests == Array(repeating: requests[0], count: 3))
        bench.time.advance(by: .seconds(30))
        let late = otherCall(try bench.caller)
        #expect(try await bench.finish(late, with: 2).error != nil)
        #expect(bench.server.calls.count == 3)
    }

    @Test func `A new token is asked for again some seconds after one could not be had`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 30))
        bench.server.go { $0.path == "/o/client/token" ? .throttled(retryAfter: "3600") : nil }
        #expect(await otherCall(try bench.caller).value.error == nil)
        bench.server.go { _ in nil }
        #expect(await otherCall(try bench.caller).value.error == nil)
        bench.time.advance(by: .seconds(5))
        #expect(await otherCall(try bench.caller).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1", "token-3"])
    }

    @Test func `Another process, too, uses the token of the store to its end`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 30))
        bench.server.go { $0.path == "/o/client/token" ? .throttled(retryAfter: "3600") : nil }
        let other = try bench.otherProcess()
        #expect(await otherCall(other).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1"])
    }

    // MARK: 401

    @Test(arguments: [
        HTTPAnswer.html(401),
        .refusal("invalid_access_token_client_application", status: 401, action: "application-registration"),
    ])
    func `After 401 a new token is asked for, and the call repeated once`(refusal: HTTPAnswer) async throws {
        let bench = try Bench { arrival in
            arrival.token == "token-1" ? refusal : nil
        }
        for call in [BrokerCall.session, .profiles] {
            _ = try await bench.caller.perform(call)
        }
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-2"])
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.registrations.count == 1)
    }

    @Test func `A hundred calls whose token is refused make one request`() async throws {
        let bench = try Bench()
        try await bench.prepare()
        bench.server.go { arrival in arrival.token == "token-1" ? .html(401) : nil }
        let calls = try (0..<100).map { _ in try call(bench) }
        for call in calls { #expect(await call.value.error == nil) }
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `A second 401 names the decision, and nothing is registered anew`() async throws {
        let bench = try Bench { arrival in
            arrival.token == nil
                ? nil
                : .refusal("invalid_access_token_client_application", status: 401, action: "application-registration")
        }
        for round in 1...3 {
            let outcome = try await call(bench).value
            guard case .registration(let refusal)? = outcome.error else {
                Issue.record("\(outcome)")
                return
            }
            #expect(refusal.decision == .registerAnew)
            #expect(refusal.step == .call)
            #expect(refusal.enhancedError?.code == .invalidAccessTokenClientApplication)
            #expect(bench.server.calls.count == 2 * round)
        }
        #expect(bench.server.registrations.count == 1)
        #expect(try await bench.store.record(of: bench.device.key)?.registrations.count == 1)
    }

    @Test(arguments: [200, 400, 403])
    func `The action says so with any status`(status: Int) async throws {
        let bench = try Bench { arrival in
            arrival.token == nil
                ? nil
                : .refusal("invalid_access_token_service_provider", status: 403, action: "application-registration")
                    .with(status: status)
        }
        let caller = try bench.caller
        let call = BrokerCall<ProfilesResponse>(.profiles, BrokerCall<String>.profiles.request) {
            answer throws(BrokerError) in
            try ProfilesResponse(reading: answer)
        }
        let outcome = await result { () throws(BrokerError) in try await caller.perform(call) }
        #expect(outcome.error?.code == "registration_ended")
        #expect(bench.server.calls.count == 1)
    }

    @Test func `A refused token in the store is not used again, and another process's is`() async throws {
        let bench = try Bench()
        _ = try await call(bench).value
        let other = try bench.otherProcess()
        bench.server.go { arrival in arrival.token == "token-1" ? .html(401) : nil }
        _ = try await other.perform(.profiles)
        #expect(bench.server.tokenRequests.count == 2)
        // This process has the refused token in memory, and finds the other's in the store.
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1", "token-2", "token-1", "token-2"])
    }

    /// The broker's own refusal of an access token.
    private static let refusal = HTTPAnswer.refusal(
        "invalid_access_token_client_application", status: 401, action: "application-registration")

    /// A broker whose first token is a day ahead of its clock, and that refuses some tokens.
    private func refuse(_ tokens: Set<String>, _ bench: Bench) {
        bench.server.go { [time = bench.time] arrival in
            if let token = arrival.token, tokens.contains(token) { return Self.refusal }
            guard arrival.path == "/o/client/token", arrival.number == 0 else { return nil }
            return .token(1, createdAt: time.now + .hours(24))
        }
    }

    @Test func `A refused token leaves the record, whenever the broker says it was made`() async throws {
        let bench = try Bench()
        refuse([], bench)
        try await bench.prepare()
        refuse(["token-1"], bench)
        #expect(try await call(bench).value.error == nil)
        let record = try #require(try await bench.store.record(of: bench.device.key))
        #expect(record.registrations[bench.broker.scope]?.token?.bearer.text == "token-2")
        let other = try bench.otherProcess()
        _ = try await other.perform(.profiles)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-2"])
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `Two refused tokens do not bring the first one back`() async throws {
        let bench = try Bench()
        refuse(["token-1", "token-2"], bench)
        #expect(try await call(bench).value.error?.code == "registration_ended")
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2", "token-2", "token-3"])
    }

    @Test func `A token of another process that is refused, too, says nothing of the credentials`() async throws {
        let bench = try Bench()
        _ = try await call(bench).value
        let other = try bench.otherProcess()
        bench.server.go { arrival in arrival.token == "token-1" ? Self.refusal : nil }
        _ = try await other.perform(.profiles)
        bench.server.go { arrival in ["token-1", "token-2"].contains(arrival.token) ? Self.refusal : nil }
        #expect(try await call(bench).value.error == nil)
        #expect(
            bench.server.calls.map(\.token)
                == ["token-1", "token-1", "token-2", "token-1", "token-2", "token-3"])
        #expect(bench.server.tokenRequests.count == 3)
    }

    /// Another process learns that the token of the store is refused, and stores the next one.
    private static func renewElsewhere(_ bench: Bench) async throws {
        let other = try bench.otherProcess()
        let stored = try await bench.store.record(of: bench.device.key)?.registrations[other.broker.scope]?.token
        _ = try await other.token(insteadOf: stored, of: nil, within: .seconds(10))
    }

    @Test func `However many tokens others store that are refused, one is asked for before the credentials count`()
        async throws
    {
        let bench = try Bench()
        _ = try await call(bench).value
        bench.server.go { arrival in
            guard let token = arrival.token, token != "token-4" else { return nil }
            if token != "token-3" { try? await Self.renewElsewhere(bench) }
            return Self.refusal
        }
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1", "token-2", "token-4"])
        #expect(bench.server.tokenRequests.count == 4)
        let record = try #require(try await bench.store.record(of: bench.device.key))
        #expect(record.registrations[bench.broker.scope]?.token?.bearer.text == "token-4")
    }

    @Test(arguments: [
        HTTPAnswer.html(401), HTTPAnswer("", status: 401, type: nil),
        HTTPAnswer(#"{"message": "Unauthorized"}"#, status: 401),
        HTTPAnswer(#"{"status": 401, "error": "Unauthorized"}"#, status: 401), HTTPAnswer("[]", status: 401),
    ])
    func `A 401 that is not the broker's says nothing of the registration`(answer: HTTPAnswer) async throws {
        let bench = try Bench { arrival in arrival.token == nil ? nil : answer }
        let outcome = try await call(bench).value
        #expect(outcome.error?.code == "unreadable_answer")
        #expect(bench.server.calls.count == 2)
        bench.server.go { _ in nil }
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.registrations.count == 1)
        let record = try #require(try await bench.store.record(of: bench.device.key))
        #expect(record.registrations.values.map(\.credentials.clientID) == ["client-1"])
    }

    @Test(arguments: ["invalid_access_token_client_application", "invalid_access_token_service_provider"])
    func `The broker's code says so without an action`(code: String) async throws {
        let bench = try Bench { arrival in arrival.token == nil ? nil : .refusal(code, status: 401) }
        #expect(try await call(bench).value.error?.code == "registration_ended")
    }

    // MARK: Forgetting

    @Test func `A token whose credentials were forgotten while it was asked for is not used`() async throws {
        let bench = try Bench()
        bench.server.go { [caller = try bench.caller] arrival in
            if arrival.path == "/o/client/token", arrival.number == 0 {
                _ = await result { () throws(BrokerError) in try await caller.forgetRegistration() }
            }
            return nil
        }
        #expect(try await call(bench).value.error == nil)
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-2", "token-2"])
        #expect(bench.server.tokenRequests.last?.body.contains("client_id=client-2") == true)
        let record = try #require(try await bench.store.record(of: bench.device.key))
        #expect(record.registrations[bench.broker.scope]?.token?.bearer.text == "token-2")
    }

    @Test func `A device that is erased while a token is asked for is not registered anew`() async throws {
        let bench = try Bench()
        bench.server.go { [store = bench.store, key = bench.device.key] arrival in
            if arrival.path == "/o/client/token", arrival.number == 0 { _ = try? await store.forget(key) }
            return nil
        }
        #expect(try await call(bench).value.error != nil)
        #expect(bench.server.registrations.count == 1)
        #expect(try await bench.store.record(of: bench.device.key) == nil)
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.registrations.count == 2)
    }

    @Test func `A token that is still good does not serve once its device is erased while another is asked for`()
        async throws
    {
        let bench = try Bench()
        try await bench.prepare()
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 30))
        bench.server.go { [store = bench.store, key = bench.device.key] arrival in
            if arrival.path == "/o/client/token" { _ = try? await store.forget(key) }
            return nil
        }
        #expect(try await call(bench).value.error == .store(.contended(attempts: 2)))
        #expect(bench.server.calls.isEmpty && bench.server.registrations.count == 1)
    }

    @Test func `A token that was read before its device was erased is not used after that`() async throws {
        let store = ObservedRecordStore(
            InMemoryRecordStore(time: ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000)).source))
        let bench = try Bench(store: store)
        _ = try await bench.otherProcess().perform(.profiles)
        store.actOnce(.afterRead) { [directory = bench.store, key = bench.device.key] in
            _ = try? await directory.forget(key)
        }
        #expect(try await call(bench).value.error == .store(.contended(attempts: 1)))
        #expect(bench.server.calls.count == 1 && bench.server.registrations.count == 1)
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2"])
    }

    @Test(arguments: ["group", "401", "other client"])
    func `A call whose device is erased meanwhile does not register it anew, and is not made as another client`(
        way: String
    ) async throws {
        let bench = try Bench()
        let caller = try bench.caller
        bench.server.go { [store = bench.store, key = bench.device.key] arrival in
            guard arrival.token != nil else { return nil }
            if arrival.number == 0 {
                _ = try? await store.forget(key)
                if way == "other client" { _ = await result { () throws(BrokerError) in try await caller.register() } }
                if way == "401" { return .html(401) }
            }
            return HTTPAnswer(Bodies.decisions(DecisionCallTests.resources(in: arrival.body).map { ($0, nil) }))
        }
        let outcome = await result { () throws(BrokerError) in
            try await caller.preauthorize(["A", "B", "C"], mvpd: "TestMVPD", requestor: "REF30", groupSize: 1)
        }
        #expect(bench.server.calls.map(\.token) == ["token-1"])
        switch outcome {
        case .success(let decisions):
            #expect(way != "401")
            #expect(decisions["A"]?.isAuthorized == true && decisions.unanswered == ["B", "C"])
            #expect(decisions.failure == .store(.contended(attempts: 1)))
        case .failure(let error):
            #expect(way == "401" && error == .store(.contended(attempts: 1)))
        }
        let isOther = way == "other client"
        #expect(bench.server.registrations.count == (isOther ? 2 : 1))
        #expect((try await bench.store.record(of: bench.device.key) == nil) == !isOther)
    }

    @Test
    func `The token of a device that another process erased is used until its record is read, and nothing stored`()
        async throws
    {
        let bench = try Bench()
        #expect(try await call(bench).value.error == nil)
        #expect(try await bench.otherProcess().broker.records.forget(bench.device.key))
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1"])
        let record = try await bench.store.record(of: bench.device.key)
        #expect(record == nil && bench.server.registrations.count == 1)
        bench.broker.note(record, of: bench.device.key)
        #expect(try await call(bench).value.error == nil)
        #expect(bench.server.calls.last?.token == "token-2" && bench.server.registrations.count == 2)
    }

    @Test func `A token whose credentials another process has forgotten is not used any more`() async throws {
        let bench = try Bench()
        _ = try await call(bench).value
        let known = try await bench.store.record(of: bench.device.key)
        bench.broker.note(known, of: bench.device.key)
        _ = try await call(bench).value
        #expect(try await bench.otherProcess().forgetRegistration())
        bench.broker.note(try await bench.store.record(of: bench.device.key), of: bench.device.key)
        _ = try await call(bench).value
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1", "token-2"])
        #expect(bench.server.tokenRequests.last?.body.contains("client_id=client-2") == true)
    }

    // MARK: Clocks

    @Test(arguments: [-86_400_000, -600_000, 0, 600_000, 86_400_000] as [Int64])
    func `The broker's clock differs from ours`(skew: Int64) async throws {
        let bench = try Bench()
        bench.server.go { [time = bench.time] arrival in
            guard arrival.path == "/o/client/token" else { return nil }
            let theirs = time.now + TimeToLive(milliseconds: skew)
            return .token(arrival.number + 1, createdAt: theirs, date: theirs.httpDate)
        }
        for _ in 0..<3 { _ = try await call(bench).value }
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 62))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 1)
        bench.time.advance(by: .seconds(2))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `A token that ended in the past as it was sent is used for a minute`() async throws {
        let bench = try Bench()
        bench.server.go { [time = bench.time] arrival in
            guard arrival.path == "/o/client/token" else { return nil }
            return .token(arrival.number + 1, createdAt: time.now - .hours(24))
        }
        for _ in 0..<3 { #expect(try await call(bench).value.error == nil) }
        bench.time.advance(by: .seconds(59))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 1)
        bench.time.advance(by: .seconds(1))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test(arguments: [(0, 60), (5, 1), (100, 40), (300, 240)])
    func `Short lives`(lifetime: Int, use: Int64) async throws {
        let bench = try Bench()
        bench.server.go { [time = bench.time] arrival in
            guard arrival.path == "/o/client/token" else { return nil }
            return .token(arrival.number + 1, createdAt: time.now, lifetime: lifetime)
        }
        for _ in 0..<3 { _ = try await call(bench).value }
        bench.time.advance(by: TimeToLive(milliseconds: use * 1000 - 1))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 1)
        bench.time.advance(by: TimeToLive(milliseconds: 1))
        _ = try await call(bench).value
        #expect(bench.server.tokenRequests.count == 2)
    }

    @Test func `Setting our clock back or forward ends no token in memory`() async throws {
        let bench = try Bench()
        _ = try await call(bench).value
        for hours in [-48, 48] as [Int64] {
            bench.time.set(bench.time.now + .hours(hours))
            _ = try await call(bench).value
        }
        #expect(bench.server.tokenRequests.count == 1)
    }
}
#endif
