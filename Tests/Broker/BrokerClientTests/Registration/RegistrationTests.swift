#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import RecordChecks
import SealedRecords
import TVETesting
import TestVectors
import Testing

struct RegistrationTests {
    @Test func `The first call registers, stores, and asks for a token`() async throws {
        let bench = try Bench()
        bench.server.go { [store = bench.store, key = bench.device.key] arrival in
            // Credentials are stored before they are used.
            if arrival.path == "/o/client/token" {
                let record = try? await store.record(of: key)
                #expect(record?.registrations.values.first?.credentials.clientID == "client-1")
            }
            return nil
        }
        _ = try await bench.caller.perform(.profiles)
        #expect(
            bench.server.arrivals.map(\.path) == ["/o/client/register", "/o/client/token", "/api/v2/REF30/profiles"])
        #expect(bench.server.calls.map(\.token) == ["token-1"])
        let record = try #require(try await bench.store.record(of: bench.device.key))
        let registration = try #require(record.registrations[bench.broker.scope])
        #expect(registration.credentials.clientID == "client-1")
        #expect(registration.token?.bearer.text == "token-1")
    }

    @Test func `The client's address goes on both requests unless the settings forbid it`() async throws {
        for isSent in [true, false] {
            var settings = BrokerSettings()
            settings.sendsClientAddressOnRegistration = isSent
            let bench = try Bench(settings: settings)
            _ = try await bench.caller.perform(.profiles)
            for arrival in bench.server.registrations + bench.server.tokenRequests {
                let fields = arrival.request.headerFields.filter { $0.name.canonicalName == "x-forwarded-for" }
                #expect(fields.map(\.value) == (isSent ? [Bench.clientAddress] : []))
            }
        }
    }

    @Test func `Credentials are for good, also in another process`() async throws {
        let bench = try Bench()
        _ = try await bench.caller.perform(.profiles)
        bench.time.advance(by: .hours(24 * 300))
        let other = try bench.otherProcess()
        _ = try await other.perform(.profiles)
        #expect(bench.server.registrations.count == 1)
        #expect(bench.server.tokenRequests.count == 2)
        for request in bench.server.tokenRequests { #expect(request.body.contains("client_id=client-1")) }
    }

    @Test func `A token is used by another process until a minute before its end`() async throws {
        let bench = try Bench()
        _ = try await bench.caller.perform(.profiles)
        let other = try bench.otherProcess()
        _ = try await other.perform(.profiles)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-1"])
        bench.time.advance(by: .seconds(Int64(ScriptedBroker.lifetime) - 61))
        for _ in 0..<2 {
            _ = try await bench.caller.perform(.profiles)
            _ = try await other.perform(.profiles)
            bench.time.advance(by: .seconds(1))
        }
        #expect(bench.server.calls.map(\.token).dropFirst(2) == ["token-1", "token-1", "token-2", "token-2"])
        #expect(bench.server.tokenRequests.count == 2)
        #expect(bench.server.registrations.count == 1)
    }

    @Test func `Processes that register at once keep the first credentials`() async throws {
        let bench = try Bench()
        let other = try bench.otherProcess()
        // The first process is slower than the second, which registers meanwhile.
        bench.server.go { arrival throws(TransportFailure) in
            guard arrival.path == "/o/client/register", arrival.number == 0 else { return nil }
            _ = await result { () throws(BrokerError) in try await other.register() }
            return nil
        }
        let first = try await bench.caller.register()
        #expect(bench.server.registrations.count == 2)
        #expect(first.clientID == "client-2")
        #expect(try await other.register().clientID == "client-2")
        let record = try #require(try await bench.store.record(of: bench.device.key))
        #expect(record.registrations.values.map(\.credentials.clientID) == ["client-2"])
    }

    @Test func `Registrations and calls at once register the device once`() async throws {
        let bench = try Bench()
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/register" { try await server.wait(.seconds(1), for: arrival) }
            return nil
        }
        let (local, caller) = (bench.broker.caller(bench.device, from: nil), try bench.caller)
        let registrations = (0..<2).map { _ in
            Task { await result { () throws(BrokerError) in try await local.register().clientID } }
        }
        let call = Task {
            await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        }
        // The limits of all three, and the request.
        try await eventually("all wait") { bench.time.sleepers >= 4 }
        bench.time.advance(by: .seconds(1))
        for task in registrations { #expect(await task.value == .success("client-1")) }
        #expect(await call.value.error == nil)
        #expect(bench.server.registrations.count == 1)
    }

    @Test func `A registration that takes too long is left`() async throws {
        let bench = try Bench()
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == "/o/client/register" { try await server.wait(.seconds(3600), for: arrival) }
            return nil
        }
        let caller = try bench.caller
        let task = Task {
            await result { () throws(BrokerError) in
                try await caller.register(timeLimit: .seconds(4)).clientID
            }
        }
        let outcome = try await bench.finish(task, with: 2)
        #expect(outcome.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: true)))
        #expect(bench.source.uptime == .seconds(4))
    }

    @Test func `Forgetting is the application's decision, and the next call registers anew`() async throws {
        let bench = try Bench()
        #expect(try await bench.caller.forgetRegistration() == false)
        _ = try await bench.caller.perform(.profiles)
        #expect(try await bench.caller.forgetRegistration())
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.registrations.count == 2)
        #expect(bench.server.calls.map(\.token) == ["token-1", "token-2"])
        #expect(bench.server.tokenRequests[1].body.contains("client_id=client-2"))
    }

    // MARK: Forgetting after a refusal

    /// Refuses the credentials that were registered first.
    private static let refusingFirst: ScriptedBroker.Script = { arrival in
        arrival.path == "/o/client/token" && arrival.body.contains("client_id=client-1&")
            ? .registrationError("invalid_client") : nil
    }

    private func refusal(_ bench: Bench) async throws -> RegistrationRefusal {
        let caller = try bench.caller
        let outcome = await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        guard case .registration(let refusal)? = outcome.error else { throw outcome.error ?? .cancelled }
        return refusal
    }

    @Test func `Of two refused calls, the second one leaves what was registered after the first`() async throws {
        let bench = try Bench(Self.refusingFirst)
        let (first, second) = (try await refusal(bench), try await refusal(bench))
        #expect(first.clientID == "client-1" && second.clientID == "client-1")
        var shown = "\(first) \(String(reflecting: first)) \(BrokerError.registration(first))"
        dump(first, to: &shown)
        #expect(!shown.contains("client-1"))
        #expect(try await bench.caller.forgetRegistration(after: first))
        _ = try await bench.caller.perform(.profiles)
        #expect(try await bench.caller.forgetRegistration(after: second) == false)
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.registrations.count == 2)
        #expect(bench.server.calls.map(\.token) == ["token-3", "token-3"])
    }

    @Test func `A call that is refused names the credentials of its token`() async throws {
        let bench = try Bench { arrival in
            arrival.token == nil ? nil : .refusal("invalid_access_token_client_application", status: 401)
        }
        #expect(try await refusal(bench).clientID == "client-1")
    }

    @Test func `What was refused is compared where it is forgotten`() async throws {
        let store = ObservedRecordStore(
            InMemoryRecordStore(time: ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000)).source))
        let bench = try Bench(store: store, Self.refusingFirst)
        let refusal = try await refusal(bench)
        let (scope, key) = (bench.broker.scope, bench.device.key)
        let old = try #require(try await bench.store.record(of: key)?.registrations[scope]?.credentials)
        let other = Device(key: "other-key", identifier: bench.device.identifier, info: bench.device.info)
        let new = try await bench.broker.caller(other, from: nil).register()
        // Between the reading of the record and its change, another process has registered the device anew.
        store.actOnce(.afterRead) { [directory = bench.store] in
            _ = try? await directory.change(key) { record in
                record.forget(old, for: scope)
                record.adopt(new, for: scope)
            }
        }
        let caller = try bench.caller
        let task = Task {
            await result { () throws(BrokerError) in try await caller.forgetRegistration(after: refusal) }
        }
        #expect(try await bench.finish(task) == .success(false))
        #expect(try await bench.store.record(of: key)?.registrations[scope]?.credentials == new)
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.registrations.count == 2)
    }

    @Test func `A refusal that names no credentials forgets none`() async throws {
        let bench = try Bench()
        _ = try await bench.caller.perform(.profiles)
        let refusal = RegistrationRefusal(step: .call, decision: .registerAnew, status: 401)
        #expect(try await bench.caller.forgetRegistration(after: refusal) == false)
        _ = try await bench.caller.perform(.profiles)
        #expect(bench.server.registrations.count == 1)
    }

    // MARK: Refusals

    @Test(arguments: [
        ("invalid_request", RegistrationRefusal.Decision.reportDefect),
        ("invalid_redirect_uri", .correctRedirectURI),
        ("invalid_software_statement", .replaceStatement),
        ("unapproved_software_statement", .replaceStatement),
        ("invalid_client_metadata", .reportDefect),
        ("something_new", .reportDefect),
    ])
    func `Refused registrations say what to do`(code: String, decision: RegistrationRefusal.Decision) async throws {
        let bench = try Bench { _ in .registrationError(code) }
        let caller = try bench.caller
        let outcome = await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        let refusal = RegistrationRefusal(
            step: .registration, decision: decision, status: 400, reason: code, enhancedError: nil)
        #expect(outcome.error == .registration(refusal))
        #expect(outcome.error?.description.contains(code) == (code != "something_new"))
        #expect(bench.server.arrivals.count == 1)
        #expect(try await bench.store.record(of: bench.device.key) == nil)
    }

    @Test(arguments: [
        ("invalid_request", 400, RegistrationRefusal.Decision.reportDefect),
        ("invalid_client", 400, .registerAnew),
        ("invalid_client", 401, .registerAnew),
        ("unauthorized_client", 400, .askForPermission),
        ("unsupported_grant_type", 400, .reportDefect),
        ("invalid_scope", 400, .replaceStatement),
    ])
    func `Refused tokens say what to do, and nothing is registered anew`(
        code: String,
        status: Int,
        decision: RegistrationRefusal.Decision
    ) async throws {
        let bench = try Bench { $0.path == "/o/client/token" ? .registrationError(code, status: status) : nil }
        let caller = try bench.caller
        for _ in 0..<3 {
            let outcome = await result { () throws(BrokerError) in
                try await caller.perform(.profiles)
            }
            let refusal = RegistrationRefusal(
                step: .accessToken, decision: decision, status: status, reason: code, enhancedError: nil,
                clientID: "client-1")
            #expect(outcome.error == .registration(refusal))
            #expect(outcome.error?.code == decision.rawValue)
        }
        #expect(bench.server.registrations.count == 1)
        #expect(bench.server.tokenRequests.count == 3)
        #expect(bench.server.calls.isEmpty)
    }

    @Test(
        arguments: [
            HTTPAnswer.html(401), HTTPAnswer("", status: 401, type: nil),
            HTTPAnswer(#"{"message": "Unauthorized"}"#, status: 401),
            HTTPAnswer(#"{"status": 401, "error": "Unauthorized"}"#, status: 401), HTTPAnswer("[]", status: 401),
            HTTPAnswer(#"{"error": "unauthorized"}"#, status: 401),
        ], ["/o/client/register", "/o/client/token"])
    func `A 401 that is not the broker's says nothing of the registration`(
        answer: HTTPAnswer,
        path: String
    ) async throws {
        let bench = try Bench { $0.path == path ? answer : nil }
        let caller = try bench.caller
        let outcome = await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        #expect(outcome.error?.code == "unreadable_answer")
        #expect(bench.server.calls.isEmpty)
    }

    @Test func `The broker's own 401 means the credentials, if there are any`() async throws {
        let answer = HTTPAnswer.refusal(
            "invalid_access_token_client_application", status: 401, action: "application-registration")
        for (path, code) in [("/o/client/register", "refused"), ("/o/client/token", "registration_ended")] {
            let bench = try Bench { $0.path == path ? answer : nil }
            let caller = try bench.caller
            let outcome = await result { () throws(BrokerError) in
                try await caller.perform(.profiles)
            }
            #expect(outcome.error?.code == code)
            if case .registration(let refusal)? = outcome.error { #expect(refusal.step == .accessToken) }
        }
    }

    // MARK: The endpoints do not answer

    @Test(arguments: ["/o/client/register", "/o/client/token"])
    func `An endpoint that is down`(path: String) async throws {
        let failure = TransportFailure(.connecting, mayHaveBeenSent: false)
        let bench = try Bench { arrival throws(TransportFailure) in
            if arrival.path == path { throw failure }
            return nil
        }
        let caller = try bench.caller
        let task = Task {
            await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        }
        #expect(try await bench.finish(task, with: 2).error == .transport(failure))
        #expect(bench.server.arrivals.count { $0.path == path } == 3)
        // It is up again.
        bench.server.go { _ in nil }
        _ = try await caller.perform(.profiles)
        #expect(bench.server.calls.count == 1)
        #expect(try await bench.store.record(of: bench.device.key)?.registrations.count == 1)
    }

    @Test(arguments: ["/o/client/register", "/o/client/token"])
    func `An endpoint that is slow`(path: String) async throws {
        let bench = try Bench()
        bench.server.go { [server = bench.server] arrival throws(TransportFailure) in
            if arrival.path == path { try await server.wait(.seconds(3600), for: arrival) }
            return nil
        }
        let caller = try bench.caller
        let start = bench.source.uptime
        let task = Task {
            let outcome = await result { () throws(BrokerError) in
                try await caller.perform(.profiles, timeLimit: .seconds(4))
            }
            return (outcome, bench.source.uptime)
        }
        let (outcome, end) = try await bench.finish(task, with: 2)
        #expect(outcome.error == .transport(TransportFailure(.timeout, mayHaveBeenSent: false)))
        #expect(end - start >= .seconds(4))
        #expect(bench.server.calls.isEmpty)
    }

    @Test(arguments: ["/o/client/register", "/o/client/token"])
    func `An endpoint that answers 429 with a page`(path: String) async throws {
        let bench = try Bench { $0.path == path ? .throttled() : nil }
        let caller = try bench.caller
        let task = Task {
            await result { () throws(BrokerError) in try await caller.perform(.profiles) }
        }
        #expect(try await bench.finish(task, with: 2).error == .throttled(retryAfter: nil))
        #expect(bench.server.arrivals.count { $0.path == path } == 4)
    }

    @Test(arguments: ["/o/client/register", "/o/client/token"])
    func `An endpoint that answers with a page, or with something else`(path: String) async throws {
        for answer in [
            HTTPAnswer.html(200), .html(400), HTTPAnswer("{}", status: 201), HTTPAnswer("{", status: 201),
            HTTPAnswer("", status: 204, type: nil), HTTPAnswer("[]", status: 302),
        ] {
            let bench = try Bench { $0.path == path ? answer : nil }
            let caller = try bench.caller
            let outcome = await result { () throws(BrokerError) in
                try await caller.perform(.profiles)
            }
            #expect(outcome.error?.code == "unreadable_answer")
            #expect(bench.server.calls.isEmpty)
        }
    }
}
#endif
