#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import CoreMetrics
import EntitlementValues
import HTTPTypes
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import SealedRecords
import ServiceResponses
import Synchronization
import TVETesting
import Testing
import Tracing

/// Everything that is logged, counted, traced or thrown, searched for everything that is secret.
struct RedactionTests {
    private let log = InMemoryLogHandler()
    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()
    private let events = Events()

    private final class Events: Sendable {
        private let list = Mutex<[BrokerTraceEvent]>([])

        var all: [BrokerTraceEvent] { list.withLock { $0 } }

        func append(_ event: BrokerTraceEvent) { list.withLock { $0.append(event) } }
    }

    /// What a refusal repeats or tells, and is not the name of an error.
    private static let code = "QX7PL4Z"
    private static let words = "words-for-people"
    /// What each call sends or needs besides its own question.
    private static let ofEachCall = [
        Secrets.deviceIdentifier, Secrets.platformToken, Secrets.serviceToken, Secrets.visitor, Bench.statement,
        #"{"email":"\#(Secrets.identity)"}"#, ScriptedBroker.clientSecret, "client-1", "token-1",
    ]
    private static let ofSingleCalls = Set(EndpointCall.all.flatMap(\.secrets)).sorted()
    private static let secrets = ofEachCall + ofSingleCalls + [code, words, Secrets.identity, "token-", "device-key"]

    private func bench(
        identifier: String = Secrets.deviceIdentifier,
        _ script: @escaping ScriptedBroker.Script
    ) throws -> Bench {
        var handler = log
        handler.logLevel = .trace
        let logger = Logger(label: "test") { [handler] _ in handler }
        // So that no call runs into its limit while time passes in its pauses.
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(86_400)
        return try Bench(
            settings: settings,
            observation: BrokerObservation(
                logger: logger, metrics: metrics, tracer: tracer,
                trace: { [events] in events.append($0) }),
            identifier: identifier, script)
    }

    /// Lets time pass in the pauses of a call, until it has ended.
    private func flow<Value: Sendable>(_ task: Task<Value, Never>, _ bench: Bench) async throws -> Value {
        try await bench.time.flowing(once: { bench.time.pauses == 1 }) { await task.value }
    }

    private func caller(of bench: Bench) throws -> Caller {
        var caller = try bench.caller
        caller.platformToken = try .subject(Secrets.platformToken)
        caller.serviceToken = try ServiceToken(Secrets.serviceToken)
        caller.partnerStatus = try PartnerFrameworkStatus(permission: .init(.granted))
        caller.temporaryIdentity = try TemporaryIdentity(Secrets.identity)
        caller.visitorIdentifier = try VisitorIdentifier(Secrets.visitor)
        return caller
    }

    private static let refusal = """
        {"status": 403, "code": "authorization_denied_by_mvpd", "message": "\(words)", "details": "\(words)",
         "action": "none", "trace": "5f0c-21-ab", "unknown": "\(code)"}
        """

    private static let unauthorized = """
        {"status": 401, "code": "invalid_access_token_client_application", "message": "\(words)",
         "details": "\(words)", "action": "application-registration", "unknown": "\(code)"}
        """

    /// Makes each call of a broker that answers in one way, and brings the errors.
    private func makeEachCall(of bench: Bench, answering way: String) async throws -> [BrokerError] {
        let caller = try caller(of: bench)
        var errors: [BrokerError] = []
        for call in EndpointCall.all {
            bench.server.go { arrival throws(TransportFailure) in try Self.answer(arrival, of: call, way) }
            let before = (bench.server.arrivals.count, bench.server.answers.count)
            let task = Task {
                await result { () async throws(BrokerError) -> Void in
                    do {
                        try await call.make(caller)
                    } catch let error as BrokerError {
                        throw error
                    } catch {
                        Issue.record("\(call.endpoint): \(error)")
                    }
                }
            }
            if let error = try await flow(task, bench).error { errors.append(error) }
            if way == "success" {
                let exchanged = Self.exchanged(with: bench, after: before)
                #expect(!call.secrets.isEmpty, "\(call.endpoint)")
                for secret in call.secrets { expect(secret, in: exchanged, "\(call.endpoint)") }
            }
            bench.time.advance(by: .minutes(1))
        }
        return errors
    }

    private static func answer(
        _ arrival: ScriptedBroker.Arrival,
        of call: EndpointCall,
        _ way: String
    ) throws(TransportFailure) -> HTTPAnswer? {
        if way == "registration", arrival.path == "/o/client/register" {
            return HTTPAnswer(#"{"error": "\#(code)", "error_description": "\#(words)"}"#, status: 400)
        }
        guard !arrival.path.hasPrefix("/o/client/") else { return nil }
        switch way {
        case "refusal": return HTTPAnswer(refusal, status: 403)
        case "unauthorized": return HTTPAnswer(unauthorized, status: 401)
        case "throttled": return .throttled()
        case "page": return HTTPAnswer("<p>\(code) token-1</p>", status: 500, type: "text/html")
        case "broken": throw TransportFailure(.reset, mayHaveBeenSent: true)
        default: return HTTPAnswer(call.answer, status: call.status)
        }
    }

    /// All that went to the broker and came from it.
    private static func exchanged(with bench: Bench, after before: (arrivals: Int, answers: Int) = (0, 0)) -> String {
        var text = ""
        for arrival in bench.server.arrivals.dropFirst(before.arrivals) {
            text += "\(arrival.path) \(arrival.body)\n"
            for field in arrival.request.headerFields { text += "\(field.value)\n" }
        }
        for answer in bench.server.answers.dropFirst(before.answers) {
            text += String(decoding: answer.body, as: UTF8.self) + "\n"
        }
        return text
    }

    /// Otherwise a search for the secret could not have found it anywhere.
    private func expect(_ secret: String, in exchanged: String, _ place: String) {
        #expect(
            SecretsTests.spellings(of: secret).contains { exchanged.contains($0) },
            "\(secret) was not sent or received: \(place)")
    }

    /// Everything that can be read from outside.
    private func captured(with errors: [BrokerError]) -> String {
        var text = ""
        for entry in log.entries { text += "\(entry.message) \(entry.metadata) \(String(describing: entry.error))\n" }
        for event in events.all { dump(event, to: &text) }
        for span in tracer.finishedSpans {
            text += "\(span.operationName) \(span.attributes) \(span.errors) \(span.events) \(span.status as Any)\n"
            span.attributes.forEach { key, value in text += "\(key)=\(value)\n" }
        }
        for counter in metrics.counters { text += "\(counter.label) \(counter.dimensions)\n" }
        for timer in metrics.timers { text += "\(timer.label) \(timer.dimensions)\n" }
        for error in errors {
            dump(error, to: &text)
            text += "\(error) \(String(reflecting: error)) \(error.code)\n"
        }
        return text
    }

    private func expectSilence(_ text: String) {
        for secret in Self.secrets {
            #expect(!SecretsTests.spellings(of: secret).contains { text.contains($0) }, "\(secret)")
        }
    }

    @Test(arguments: ["success", "refusal", "unauthorized", "throttled", "page", "broken", "registration"])
    func `No secret is in logs, metrics, spans, traces and errors`(way: String) async throws {
        let bench = try bench { _ in nil }
        let errors = try await makeEachCall(of: bench, answering: way)
        let exchanged = Self.exchanged(with: bench)
        let planted =
            switch way {
            case "refusal", "unauthorized": Self.ofEachCall + [Self.code, Self.words]
            case "page": Self.ofEachCall + [Self.code]
            case "registration": [Bench.statement, Self.code, Self.words]
            default: Self.ofEachCall
            }
        for secret in planted { expect(secret, in: exchanged, way) }
        #expect(bench.device.key == "device-key")
        let text = captured(with: errors)
        expectSilence(text)
        // What is searched is really there.
        #expect(log.entries.contains { $0.level == .trace })
        #expect(log.entries.contains { $0.level == .debug } || way == "registration")
        #expect(!tracer.finishedSpans.isEmpty)
        #expect(text.contains("tve_broker_calls_total"))
        #expect(text.contains("/api/v2/REF30/sessions/{code}") || way == "registration")
        // A denial is an answer of the calls for decisions.
        let failing = EndpointCall.all.filter {
            way != "refusal" || ![.authorize, .preauthorize].contains($0.endpoint)
        }
        #expect(errors.count == (way == "success" ? 0 : failing.count), "\(errors.map(\.code))")
        // Every endpoint was called; the browser alone calls one of them.
        let called = Set(events.all.map(\.endpoint))
        #expect(called.count == BrokerEndpoint.allCases.count - 1 || way == "registration", "\(called)")
        if way == "refusal" { #expect(text.contains("authorization_denied_by_mvpd")) }
        if way == "refusal" { #expect(text.contains("5f0c-21-ab")) }
    }

    @Test func `A trace shows what is harmless`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.contains("/decisions/")
                ? HTTPAnswer(Bodies.decisions([("resource-x", nil)], mediaToken: "media-token")) : nil
        }
        _ = try await caller(of: bench).authorize(["resource-x"], mvpd: "TestMVPD", requestor: "REF30")
        let all = events.all
        #expect(all.map(\.kind) == [.request, .answer, .request, .answer, .request, .answer])
        #expect(all.map(\.endpoint) == [.register, .register, .token, .token, .authorize, .authorize])
        #expect(all[4].headline == "POST /api/v2/REF30/decisions/authorize/TestMVPD")
        #expect(all[4].fields.contains("Authorization: (14 bytes)"))
        #expect(all[4].fields.contains("Accept: application/json;charset=utf-8"))
        // It is the device's, where that is known.
        #expect(all[4].fields.contains { $0.hasPrefix("User-Agent: (") })
        #expect(all[4].body == #"{"resources":["(10 bytes)"]}"#)
        #expect(all[5].headline == "status 200")
        #expect(
            all[5].body
                == #"{"decisions":[{"resource":"(10 bytes)","serviceProvider":"REF30","mvpd":"TestMVPD","source":"mvpd","#
                + #""authorized":true,"notBefore":1768480200000,"notAfter":1768484800000,"token":{"notBefore":1768480200000,"#
                + #""notAfter":1768484800000,"serializedToken":"(11 bytes)"}}]}"#)
        #expect(all[2].body?.hasPrefix("client_id=(8 bytes)&client_secret=(") == true)
        #expect(all[0].body?.contains("software_statement") == true)
        #expect(all[4].description.hasPrefix("> POST /api/v2/REF30/decisions/authorize/TestMVPD\n> "))
    }

    @Test func `A trace shows the names of attributes and their states, and nothing of their values`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.contains("/profiles") ? HTTPAnswer(Bodies.profiles) : nil
        }
        _ = try await caller(of: bench).profiles(requestor: "REF30")
        let body = try #require(events.all.last?.body)
        #expect(body.contains(#""issuer":"(8 bytes)","type":"regular","attributes":{"userID":{"value":"(15 bytes)","#))
        #expect(body.contains(#""type":"(14 bytes)","address":{"value":{"(5 bytes)":"(16 bytes)","#))
        #expect(body.hasSuffix(#""state":"plain"}}}}}"#))
        for secret in Bodies.profileSecrets { expect(secret, in: Bodies.profiles, "profiles") }
        expectSilence(body)
    }

    @Test func `Operators are told once that the broker fails, and once that it answers again`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.hasPrefix("/o/client/") ? nil : .html(500)
        }
        let caller = try caller(of: bench)
        func call() async throws {
            let task = Task {
                await result { () throws(BrokerError) in
                    _ = try await caller.profiles(requestor: "REF30")
                }
            }
            _ = try await flow(task, bench)
            bench.time.advance(by: .minutes(1))
        }
        func told() -> [String] {
            log.entries.filter { $0.level >= .notice }.map { "\($0.level) \($0.message)" }
        }
        for _ in 0..<5 { try await call() }
        #expect(told() == ["error the broker fails"])
        bench.server.go { _ in nil }
        for _ in 0..<3 { try await call() }
        #expect(told().count == 2)
        #expect(told().last?.hasPrefix("notice the broker answers again after ") == true)
        bench.server.go { $0.path.hasPrefix("/o/client/") ? nil : .throttled() }
        for _ in 0..<2 { try await call() }
        #expect(told().count == 3)
        #expect(told().last?.hasPrefix("warning ") == true)
    }

    @Test(arguments: [Secrets.deviceIdentifier, "küche 1", "a/b"], [500, 503])
    func `A 500 for a device with an odd identifier says what may be the cause`(
        identifier: String, status: Int
    ) async throws {
        let bench = try bench(identifier: identifier) { arrival throws(TransportFailure) in
            arrival.path.hasPrefix("/o/client/") ? nil : .html(status)
        }
        _ = try await told(bench, calling: 1)
        let reason = log.entries.first { $0.level == .error }?.metadata["reason"].map { "\($0)" } ?? ""
        let isHinted = status == 500 && identifier != Secrets.deviceIdentifier
        #expect(reason.contains("DeviceIdentifier(hashing:)") == isHinted, "\(reason)")
        #expect(!log.entries.contains { "\($0.message) \($0.metadata)".contains(identifier) })
    }

    /// Calls some times, a minute apart, and brings what operators were told.
    private func told(_ bench: Bench, calling count: Int) async throws -> [String] {
        for _ in 0..<count {
            let caller = try caller(of: bench)
            let task = Task {
                await result { () throws(BrokerError) in _ = try await caller.profiles(requestor: "REF30") }
            }
            _ = try await flow(task, bench)
            bench.time.advance(by: .minutes(1))
        }
        return log.entries.filter { $0.level >= .notice }.map { entry in
            "\(entry.level) \("\(entry.message)".prefix { $0 != ":" })"
        }
    }

    @Test(arguments: ["/o/client/register", "/o/client/token"])
    func `Operators are told once that the broker refuses the application, and once that it accepts it again`(
        path: String
    ) async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path == path ? .registrationError("unauthorized_client") : nil
        }
        #expect(try await told(bench, calling: 4) == ["error the broker refuses the application"])
        bench.server.go { _ in nil }
        let told = try await told(bench, calling: 3)
        #expect(told.count == 2)
        #expect(told.last?.hasPrefix("notice the broker accepts the application again after ") == true)
        #expect(log.entries.first { $0.level == .error }?.metadata["application"] == "default")
    }

    @Test func `Operators are told when the broker refuses the application for another reason`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path == "/o/client/register" ? .registrationError("invalid_software_statement") : nil
        }
        let line = "error the broker refuses the application"
        #expect(try await told(bench, calling: 2) == [line])
        bench.server.go { arrival in
            arrival.path == "/o/client/register" ? .registrationError("unauthorized_client") : nil
        }
        #expect(try await told(bench, calling: 3) == [line, line])
    }

    @Test func `Operators are told once that a device's registration has ended, and again after it has served`()
        async throws
    {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.hasPrefix("/o/client/") ? nil : HTTPAnswer(Self.unauthorized, status: 401)
        }
        let line = "error the broker has ended a device's registration"
        #expect(try await told(bench, calling: 4) == [line])
        bench.server.go { _ in nil }
        #expect(try await told(bench, calling: 2) == [line])
        bench.server.go { arrival in
            arrival.path.hasPrefix("/o/client/") ? nil : HTTPAnswer(Self.unauthorized, status: 401)
        }
        #expect(try await told(bench, calling: 3) == [line, line])
        expectSilence(captured(with: []))
    }

    @Test func `A call that is refused something else shows that the device's registration serves`() async throws {
        let unauthorized: ScriptedBroker.Script = { arrival in
            arrival.path.hasPrefix("/o/client/") ? nil : HTTPAnswer(Self.unauthorized, status: 401)
        }
        let bench = try bench(unauthorized)
        let line = "error the broker has ended a device's registration"
        #expect(try await told(bench, calling: 2) == [line])
        bench.server.go { $0.path.hasPrefix("/o/client/") ? nil : .refusal("invalid_integration", status: 403) }
        #expect(try await told(bench, calling: 1) == [line])
        bench.server.go(on: unauthorized)
        #expect(try await told(bench, calling: 2) == [line, line])
        // The end of another registration is another one.
        #expect(try await bench.store.forget(bench.device.key))
        bench.broker.note(nil, of: bench.device.key)
        #expect(try await told(bench, calling: 2) == [line, line, line])
    }

    @Test func `A wrong brand is told once for all devices of the application, and once that it is accepted`()
        async throws
    {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.hasPrefix("/o/client/")
                ? nil
                : .refusal("invalid_access_token_service_provider", status: 403, action: "application-registration")
        }
        let line = "error the broker refuses the application"
        #expect(try await told(bench, calling: 2) == [line])
        let other = Device(key: "other", identifier: bench.device.identifier, info: bench.device.info)
        let caller = try bench.broker.caller(other, from: "203.0.113.8")
        let task = Task {
            await result { () throws(BrokerError) in _ = try await caller.profiles(requestor: "REF30") }
        }
        #expect(try await flow(task, bench).error?.code == "registration_ended")
        #expect(try await told(bench, calling: 1) == [line])
        bench.server.go { _ in nil }
        let told = try await told(bench, calling: 2)
        #expect(told.count == 2)
        #expect(told.last?.hasPrefix("notice the broker accepts the application again after ") == true)
    }

    @Test func `Each origin is told apart`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.request.authority == "other.example:8443" || arrival.path.hasPrefix("/o/client/") ? nil : .html(500)
        }
        let other = bench.broker.moved(
            to: BrokerEnvironment(of: try BrokerOrigin(parsing: "https://other.example:8443")))
        let callers = [try bench.caller, try other.caller(bench.device, from: Bench.clientAddress)]
        for _ in 0..<3 {
            for caller in callers {
                let task = Task {
                    await result { () throws(BrokerError) in
                        _ = try await caller.profiles(requestor: "REF30")
                    }
                }
                let outcome = try await flow(task, bench)
                #expect((outcome.error == nil) == (caller.broker.environment == other.environment))
                bench.time.advance(by: .minutes(1))
            }
        }
        let told = log.entries.filter { $0.level >= .notice }
        #expect(told.map { "\($0.message)" } == ["the broker fails"])
        #expect(told.first?.metadata["origin"] == "https://broker.example")
    }

    @Test func `A body that cannot be read does not mean that the broker fails, unless its status says so`()
        async throws
    {
        let bench = try bench { $0.path.hasPrefix("/o/client/") ? nil : .html(200) }
        let caller = try caller(of: bench)
        func call() async -> BrokerError? {
            await result { () throws(BrokerError) in _ = try await caller.profiles(requestor: "REF30")
            }
            .error
        }
        #expect(await call()?.code == "unreadable_answer")
        #expect(!log.entries.contains { $0.level >= .notice })
        bench.server.go { _ in .html(404) }
        #expect(await call()?.code == "unreadable_answer")
        #expect(log.entries.filter { $0.level >= .notice }.map { "\($0.message)" } == ["the broker fails"])
    }

    @Test func `A broker that was made before the metrics backend of the process counts in it`() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let metrics = TestMetrics()
            MetricsSystem.bootstrap(metrics)
            _ = try await bench.caller.profiles(requestor: "REF30")
            let calls = try metrics.expectCounter(
                "tve_broker_calls_total", [("endpoint", "profiles"), ("outcome", "success")])
            #expect(calls.totalValue == 1)
        }
    }

    @Test func `What is counted`() async throws {
        let bench = try bench { arrival throws(TransportFailure) in
            arrival.path.hasPrefix("/o/client/") || arrival.number > 0 ? nil : .throttled()
        }
        let caller = try caller(of: bench)
        let task = Task {
            await result { () throws(BrokerError) in _ = try await caller.profiles(requestor: "REF30")
            }
        }
        #expect(try await flow(task, bench).error == nil)
        func count(_ label: String, _ dimensions: [(String, String)]) -> Int64 {
            (try? metrics.expectCounter(label, dimensions))?.totalValue ?? -1
        }
        #expect(count("tve_broker_calls_total", [("endpoint", "profiles"), ("outcome", "success")]) == 1)
        #expect(count("tve_broker_calls_total", [("endpoint", "token"), ("outcome", "success")]) == 1)
        #expect(count("tve_broker_calls_total", [("endpoint", "profiles"), ("outcome", "throttled")]) == 0)
        #expect(count("tve_broker_throttled_total", [("endpoint", "profiles")]) == 1)
        #expect(count("tve_broker_repeats_total", [("reason", "throttled")]) == 1)
        let duration = try metrics.expectTimer("tve_broker_call_duration_seconds", [("endpoint", "profiles")])
        #expect(duration.values.count == 1)
        #expect(try #require(duration.values.first) >= 1_000_000_000)
        #expect(try metrics.expectTimer("tve_broker_pacer_wait_seconds").values.count == 4)
        #expect(
            tracer.finishedSpans.map(\.operationName).sorted() == [
                "broker profiles", "broker register", "broker token",
            ])
    }
}
#endif
