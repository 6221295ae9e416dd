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
import TestVectors
import TVETesting

#if Redis
import RedisStores
import TestServers
#endif

/// Three replicas of a server that share a store, and a simulated broker that they call over HTTP.
///
/// All go by one time, which the bench moves: first the broker's, then that of the replicas, each of which says when it
/// has nothing left to do.
final class ReplicaBench: Sendable {
    enum Store: String, CaseIterable { case sqlite, redis }

    let time: ManualTime
    let server: SimulatorServer
    let directory: DeviceDirectory
    private let observations: Observations
    private let arguments: [String]
    private let folder: URL
    private let replicas: Mutex<[Replica]>
    private let random: Mutex<Noise>
    #if Redis
    private let redis: RedisServer?
    #endif

    /// What the broker was asked, in the order of time.
    final class Observations: Sendable {
        let polls = Mutex<[(device: String, at: Timestamp)]>([])
        /// The devices that codes were made for: later requests name the code alone.
        let codes = Mutex<[String: String]>([:])
        let registrations = Mutex(0)
        let requests = Mutex(0)
        let sessions = Mutex<[String: Int]>([:])
    }

    /// Starts a broker, a store and three replicas.
    ///
    /// - Parameters:
    ///   - kind: The store.
    ///   - seed: By which the replica is chosen that serves a command.
    /// - Throws: What keeps them from starting.
    init(_ kind: Store, seed: UInt64 = 1) async throws {
        let (time, observations) = (ManualTime(at: .now), Observations())
        (self.time, self.observations) = (time, observations)
        random = Mutex(Noise(seed: seed))
        let simulator = try BrokerSimulator(time: time.source)
        server = try await SimulatorServer(simulator, time: time.source) { request, _, answer in
            observations.note(request, answer, at: time.now)
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "tve-replicas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keys = try SealingKeys.generate(id: "test")
        let (keysPath, statement) = (folder.appending(path: "keys").path, folder.appending(path: "statement").path)
        try keys.write(to: keysPath)
        try Data(simulator.softwareStatement(of: "REF30").utf8).write(to: URL(filePath: statement))
        // The limits of a store are of real time.
        let storeTime = TimeSource(ContinuousClock()) { time.now }
        let store: any RecordStore
        let name: String
        #if Redis
        redis = kind == .redis ? try await onOwnThread { try RedisServer() } : nil
        if let redis {
            let settings = try RedisPoolSettings(timeLimit: .seconds(60), connectTimeLimit: .seconds(60))
            store = try RedisRecordStore(try redis.address, settings: settings, time: storeTime)
            name = redis.socketPath
        } else {
            name = "sqlite:" + folder.appending(path: "devices.sqlite").path
            store = try SQLiteRecordStore(path: String(name.dropFirst(7)), time: storeTime)
        }
        #else
        name = "sqlite:" + folder.appending(path: "devices.sqlite").path
        store = try SQLiteRecordStore(path: String(name.dropFirst(7)), time: storeTime)
        #endif
        directory = DeviceDirectory(in: store, sealer: RecordSealer(keys), time: StandingClock.source { time.now })
        arguments = [name, keysPath, server.origin, statement]
        replicas = Mutex([])
        for _ in 0..<3 {
            let new = try newReplica()
            replicas.withLock { $0.append(new) }
        }
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

    private func newReplica() throws -> Replica { try Replica(arguments + ["\(time.now.milliseconds)"]) }

    /// Kills a replica, and starts another one in its place.
    func replace(_ number: Int) throws {
        replica(number).kill()
        let new = try newReplica()
        replicas.withLock { $0[number] = new }
    }

    /// Has a command served by any replica, and by another one if that is killed meanwhile.
    ///
    /// - Returns: How it ended.
    /// - Throws: `WaitedInVain` if no replica serves it.
    func serve(_ command: String, _ device: String) async throws -> String {
        try await polled("a replica that serves \(command) of \(device)") {
            await replica(random.withLock { $0.below(3) }).serve(command, device)
        }
    }

    /// Ends all replicas in good order.
    ///
    /// - Returns: Whether all had done their work.
    func end() async -> Bool {
        var isDrained = true
        for replica in replicas.withLock({ $0 }) where await !replica.end() { isDrained = false }
        await server.stop()
        return isDrained
    }

    // MARK: Time

    /// Lets a second pass, and waits until each replica has done what it does in it, or was killed.
    func passSecond() async throws {
        time.advance(by: .seconds(1))
        let now = "\(time.now.milliseconds)"
        for replica in replicas.withLock({ $0 }) {
            let answer = await replica.serve("time", now)
            guard answer == nil || answer == "rested" else { throw WaitedInVain(for: "a replica's rest") }
        }
    }

    /// Runs a body while time passes, second by second.
    func flowing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await repeating({ try await self.passSecond() }, while: body)
    }

    // MARK: Users and the broker

    /// Signs the user of a device in, some time after its code was shown: it is in the device's record then.
    func signInUser(of device: String, after delay: TimeToLive) async throws {
        let key = DeviceKey(device)
        for _ in 0..<1000 {
            var shown: PendingCode?
            try await eventually {
                shown = try await directory.record(of: key)?["REF30"].pendingCode
                return shown != nil
            }
            let end = time.now + delay
            try await eventually { time.now >= end }
            guard let shown, try await directory.record(of: key)?["REF30"].pendingCode == shown else { continue }
            try server.simulator.logIn(code: shown.code.text, as: "ok")
            return
        }
        throw WaitedInVain(for: "a code of \(device) that lasts until its user signs in")
    }

    func polls(of device: String) -> [Timestamp] {
        observations.polls.withLock { $0.filter { $0.device == device }.map(\.at) }
    }

    func sessions(of device: String) -> Int { observations.sessions.withLock { $0[device] ?? 0 } }

    var registrations: Int { observations.registrations.withLock { $0 } }

    /// How many requests the broker has answered.
    var requests: Int { observations.requests.withLock { $0 } }
}

extension ReplicaBench.Observations {
    fileprivate func note(_ request: HTTPRequest, _ answer: SimulatedAnswer, at now: Timestamp) {
        let path = request.path ?? ""
        requests.withLock { $0 += 1 }
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
