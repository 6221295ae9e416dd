#if Client
import BrokerBench
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import HTTPTypes
import SQLiteStores
import SealedRecords
import ServiceResponses
import Synchronization

#if Redis
import RedisStores
import TestServers
#endif

/// Three replicas of a server that share a store, and a simulated broker that they call over HTTP.
///
/// All go by one time, five times as fast as the world's.
final class ReplicaBench: Sendable {
    enum Store: String, CaseIterable { case sqlite, redis }

    static let factor = 5

    let time: TimeSource
    let server: SimulatorServer
    let directory: DeviceDirectory
    private let observations: Observations
    private let arguments: [String]
    private let folder: URL
    private let replicas: Mutex<[Replica]>
    #if Redis
    private let redis: RedisServer?
    #endif

    /// What the broker was asked, in the order of time.
    final class Observations: Sendable {
        let polls = Mutex<[(device: String, at: Timestamp)]>([])
        /// The devices that codes were made for: later requests name the code alone.
        let codes = Mutex<[String: String]>([:])
        let registrations = Mutex(0)
        let sessions = Mutex<[String: Int]>([:])
    }

    init(_ kind: Store) async throws {
        let start = Timestamp.now
        let time = ScaledClock.source(from: start, factor: Self.factor)
        let observations = Observations()
        (self.time, self.observations) = (time, observations)
        let simulator = try BrokerSimulator(time: time)
        server = try await SimulatorServer(simulator, time: time) { request, _, answer in
            observations.note(request, answer, at: time.now)
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "tve-replicas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keys = try SealingKeys.generate(id: "test")
        let (keysPath, statement) = (folder.appending(path: "keys").path, folder.appending(path: "statement").path)
        try keys.write(to: keysPath)
        try Data(simulator.softwareStatement(of: "REF30").utf8).write(to: URL(filePath: statement))
        let store: any RecordStore
        let name: String
        #if Redis
        redis = kind == .redis ? try RedisServer() : nil
        if let redis {
            store = try RedisRecordStore(try redis.address, time: time)
            name = redis.socketPath
        } else {
            name = "sqlite:" + folder.appending(path: "devices.sqlite").path
            store = try SQLiteRecordStore(path: String(name.dropFirst(7)), time: time)
        }
        #else
        name = "sqlite:" + folder.appending(path: "devices.sqlite").path
        store = try SQLiteRecordStore(path: String(name.dropFirst(7)), time: time)
        #endif
        directory = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: time)
        let arguments = [name, keysPath, server.origin, statement, "\(start.milliseconds)", "\(Self.factor)"]
        self.arguments = arguments
        replicas = Mutex(try (0..<3).map { _ in try Replica(arguments) })
    }

    deinit {
        for replica in replicas.withLock({ $0 }) { replica.kill() }
        try? FileManager.default.removeItem(at: folder)
    }

    static var stores: [Store] {
        #if Redis
        return RedisServer.executable == nil ? [.sqlite] : Store.allCases
        #else
        return [.sqlite]
        #endif
    }

    // MARK: Replicas

    func replica(_ number: Int) -> Replica { replicas.withLock { $0[number] } }

    /// Kills a replica, and starts another one in its place.
    func replace(_ number: Int) throws {
        replica(number).kill()
        let new = try Replica(arguments)
        replicas.withLock { $0[number] = new }
    }

    /// Has a command served by any replica, and by another one if that is killed meanwhile.
    ///
    /// - Returns: How it ended.
    func serve(_ command: String, _ device: String) async -> String {
        while true {
            if let answer = await replica(Int.random(in: 0..<3)).serve(command, device) { return answer }
        }
    }

    /// Ends all replicas in good order.
    ///
    /// - Returns: Whether all had done their work.
    func end() async -> Bool {
        let ended = replicas.withLock { $0 }.map { $0.end() }
        await server.stop()
        return ended.allSatisfy { $0 }
    }

    // MARK: Users and the broker

    /// Signs the user of a device in, some time after its code was shown: it is in the device's record then.
    func signInUser(of device: String, after delay: Duration) async throws {
        while true {
            if let shown = try await directory.record(of: DeviceKey(device))?["REF30"].pendingCode {
                try await Task.sleep(for: delay)
                let now = try await directory.record(of: DeviceKey(device))?["REF30"].pendingCode
                if now == shown {
                    try server.simulator.logIn(code: shown.code.text, as: "ok")
                    return
                }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func polls(of device: String) -> [Timestamp] {
        observations.polls.withLock { $0.filter { $0.device == device }.map(\.at) }
    }

    func sessions(of device: String) -> Int { observations.sessions.withLock { $0[device] ?? 0 } }

    var registrations: Int { observations.registrations.withLock { $0 } }
}

extension ReplicaBench.Observations {
    fileprivate func note(_ request: HTTPRequest, _ answer: SimulatedAnswer, at now: Timestamp) {
        let path = request.path ?? ""
        if path.hasSuffix("/register") { registrations.withLock { $0 += 1 } }
        if path.contains("/profiles/code/"), let code = path.split(separator: "/").last,
            let device = codes.withLock({ $0[String(code)] })
        {
            polls.withLock { $0.append((device, now)) }
        }
        guard path.hasSuffix("/sessions"), request.method == .post,
            let field = HTTPField.Name("AP-Device-Identifier").flatMap({ request.headerFields[$0] }),
            let device = try? DeviceIdentifier(headerValue: field).text
        else { return }
        sessions.withLock { $0[device, default: 0] += 1 }
        let session = try? answer.body.withSpan { try SessionResponse(parsing: $0) }
        if let code = session?.code { codes.withLock { $0[code.text] = device } }
    }
}
#endif
