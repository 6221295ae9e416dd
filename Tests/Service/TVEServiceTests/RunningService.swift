#if Service
import BrokerClient
import CoreMetrics
import EntitlementKeys
import EntitlementValues
import Foundation
import Logging
import MediaTokens
import SealedRecords
import ServiceLifecycle
import Synchronization
import TVEService
import TVETesting
import TestVectors
import Testing

/// A running service whose listeners are open, and the requests that tests send it.
struct RunningService: Sendable {
    let publicPort: Int
    let internalPort: Int
    /// The port of the listener for decryption; `nil` if it has none of its own.
    let decryptionPort: Int?
    let service: VerificationService
    let log: LogLines
    /// Starts the graceful shutdown.
    let stop: @Sendable () async -> Void

    static let issuer = Result {
        try TestMediaTokenIssuer(key: SigningKey(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem")))
    }

    /// The settings that all tests share unless they change them.
    static let settings = [
        "public.port": "0", "internal.port": "0", "keys.paths": Vectors.key("test-only-issuer-2048.spki.pem"),
        "store.address": "memory:", "authz.requestors": "REF30", "authz.resources": "/live/* DemoChannel",
        "authz.uri": "x-original-uri", "authz.tokenParameter": "media_token", "drain.waitSeconds": "0",
        "reload.intervalSeconds": "0",
        "log.level": "debug", "keys.acceptPublishedTestKeys": "true",
    ]

    /// Makes a service; a setting that is changed to an empty string is left out.
    static func service(
        _ changes: [String: String] = [:],
        file: String? = nil,
        environment: [String: String] = [:],
        logger: Logger = Logger(label: "test") { _ in LogLines() },
        metrics: (any MetricsFactory)? = nil,
        time: TimeSource = .system,
        transport: (any HTTPTransport)? = nil,
        devices: (any RecordStore)? = nil
    ) async throws -> VerificationService {
        let settings = settings.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        let source = SettingsSource(
            file: file, environment: environment, overrides: settings.map { (name: $0.key, value: $0.value) })
        var logger = logger
        logger.logLevel = .debug
        return try VerificationService(
            try await source.read(), from: source, logger: logger, metrics: metrics, time: time, transport: transport,
            devices: devices)
    }

    /// Runs a service as long as `body` runs, and then shuts it down.
    static func with<Found: Sendable>(
        _ changes: [String: String] = [:],
        file: String? = nil,
        environment: [String: String] = [:],
        time: TimeSource = .system,
        transport: (any HTTPTransport)? = nil,
        devices: (any RecordStore)? = nil,
        log: LogLines = LogLines(),
        metrics: (any MetricsFactory)? = nil,
        beforeItListens change: () throws -> Void = {},
        _ body: @Sendable (RunningService) async throws -> Found
    ) async throws -> Found {
        let logger = Logger(label: "test") { _ in log }
        let service = try await service(
            changes, file: file, environment: environment, logger: logger, metrics: metrics, time: time,
            transport: transport, devices: devices)
        try change()
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let addresses = try #require(await service.addresses)
            let running = RunningService(
                publicPort: addresses.publicPort, internalPort: addresses.internalPort,
                decryptionPort: addresses.decryptionPort, service: service, log: log,
                stop: { await group.triggerGracefulShutdown() })
            do {
                let found = try await body(running)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return found
            } catch {
                await group.triggerGracefulShutdown()
                try? await tasks.waitForAll()
                throw error
            }
        }
    }

    /// Sends a request to the public listener.
    func ask(_ bytes: [UInt8]) async throws -> Answer {
        try await Self.ask(publicPort, bytes)
    }

    /// Sends a request to the internal listener.
    func askInternal(_ bytes: [UInt8]) async throws -> Answer {
        try await Self.ask(internalPort, bytes)
    }

    func metrics() async throws -> String { try await askInternal(request("GET", "/metrics")).text }

    static func ask(_ port: Int, _ bytes: [UInt8]) async throws -> Answer {
        let found = try await RawConnection.exchange(port, bytes)
        guard let answer = Answer.all(in: found, toHead: bytes.starts(with: "HEAD".utf8)).first else {
            throw POSIXError(.ECONNRESET)
        }
        return answer
    }

    /// Asks as a proxy does; the default path belongs to DemoChannel.
    func authorize(_ fields: [String], uri: String = "/live/1.ts") async throws -> Answer {
        try await ask(request("GET", "/v1/authz", fields: ["X-Original-URI: \(uri)"] + fields))
    }

    func post(_ target: String, _ body: String, fields: [String] = []) async throws -> Answer {
        try await ask(request("POST", target, fields: fields, body: Array(body.utf8)))
    }

    /// Whether a new token for DemoChannel passes at a path.
    func passes(_ uri: String) async throws -> Bool {
        try await authorize(["X-Media-Token: \(try Self.token())"], uri: uri).status == 200
    }

    /// Waits until a condition holds.
    ///
    /// If looking for it fails, as it does while a server is down or closes a connection, it is looked for again.
    func until(_ condition: (RunningService) async throws -> Bool) async throws {
        var failure: (any Error)?
        do {
            try await eventually {
                do {
                    return try await condition(self)
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Lets time pass, step by step, until a condition holds.
    ///
    /// What a step sets going has a limit by the same time. So each step waits longer for it than the one before: also
    /// a busy machine gets it done before the next one.
    func until(
        passing step: TimeToLive,
        of time: ManualTime,
        _ condition: (RunningService) async throws -> Bool
    ) async throws {
        for number in 1...110 {
            time.advance(by: step)
            do {
                return try await eventually(within: .milliseconds(20) * number) { try await condition(self) }
            } catch is WaitedInVain {}
        }
        throw WaitedInVain(for: "what passing time brings")
    }

    /// Waits until two requests run: a batch, and the one that asks for the metrics.
    func untilABatchRuns() async throws {
        try await until { try await $0.metrics().contains("tve_requests_in_flight 2") }
    }

    /// Issues a token in Base64, as clients pass it on.
    ///
    /// No two of them are the same, also if they are for one subscriber and of one second.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - resource: What was authorized.
    ///   - issued: When.
    ///   - sessionGUID: The subscriber, whose streams are counted together; another one for each token if none is given.
    ///   - fault: What is wrong with the token.
    /// - Returns: The token.
    /// - Throws: An error of the issuer.
    static func token(
        requestor: RequestorID = "REF30",
        resource: ResourceID = "DemoChannel",
        issued: Timestamp = .now,
        sessionGUID: SessionGUID? = nil,
        fault: TestTokenFault? = nil
    ) throws -> String {
        let number = lastToken.add(1, ordering: .relaxed).newValue
        var claims = TestTokenClaims(requestor: requestor, resource: resource, issued: issued)
        let digits = String(number, radix: 16)
        claims.sessionGUID =
            sessionGUID ?? SessionGUID(String(repeating: "0", count: 32 - digits.count) + digits)
        claims.ttl = .minutes(7) + TimeToLive(milliseconds: Int64(number))
        var layout = TestTokenLayout()
        layout.base64Layers = 1
        return try issuer.get().issueText(claims, layout: layout, fault: fault)
    }

    /// The number of the last token that a test has issued.
    private static let lastToken = Atomic(0)

    /// A subscriber of tests that need a known one.
    static let subscriber: SessionGUID = "00112233445566778899aabbccddeeff"
}

/// A log handler that keeps all lines, for tests to search.
struct LogLines: LogHandler {
    private final class Storage: Sendable {
        let lines = Mutex<[String]>([])
        let events = Mutex<[Event]>([])
    }

    private let storage = Storage()
    /// What is done with each message, on the thread that logs it.
    private let onMessage: @Sendable (_ message: String) -> Void
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(onMessage: @escaping @Sendable (_ message: String) -> Void = { _ in }) { self.onMessage = onMessage }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line =
            "\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")"
        var values = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        values.merge(event.metadata ?? [:]) { $1 }
        storage.lines.withLock { $0.append(line) }
        storage.events.withLock {
            $0.append(Event(level: event.level, message: "\(event.message)", values: values.mapValues { "\($0)" }))
        }
        onMessage("\(event.message)")
    }

    /// A line with its members.
    struct Event: Sendable {
        let level: Logger.Level
        let message: String
        let values: [String: String]
    }

    /// The lines with a message.
    func events(_ message: String) -> [Event] {
        storage.events.withLock { $0.filter { $0.message == message } }
    }

    var text: String { storage.lines.withLock { $0.joined(separator: "\n") } }
}

/// A temporary folder, removed with the object.
final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "tve-service-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }
}
#endif
