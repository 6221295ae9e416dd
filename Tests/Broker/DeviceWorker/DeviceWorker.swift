#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Foundation
import RedisStores
import SQLiteStores
import SealedRecords
import Synchronization
import TestVectors
import TVETesting

/// Serves devices as a server's replica does, for tests that need processes of their own: to race them, and to kill them.
///
/// Arguments: the store (`sqlite:PATH` or the socket of a Redis server), the file of sealing keys, the broker's origin,
/// the file of the software statement, and the time in milliseconds, which stands still until it is moved.
///
/// A line of standard input is a command and a device: `signin`, which goes on with a sign-in that is under way or begins
/// one, and ends when the user is signed in; or `play`. A line is written when it has ended: `in`, `permitted`,
/// `signed-out` or the code of an error, then the command and the device.
///
/// The command `time` moves the time on to so many milliseconds; `rested` is written once all that is under way waits for
/// it. At the end of the input the sessions are drained.
@main
struct DeviceWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let start = Int64(arguments[5]) else {
            FileHandle.standardError.write(Data("DeviceWorker STORE KEYS ORIGIN STATEMENT TIME\n".utf8))
            exit(64)
        }
        let time = ManualTime(at: Timestamp(milliseconds: start))
        let worker = DeviceWorker(time: time, sessions: try sessions(arguments, time))
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2 else { continue }
            if words[0] == "time" {
                worker.move(to: words[1])
            } else {
                worker.begin(words[0], words[1])
            }
        }
        let isDrained = await worker.sessions.drain(within: .seconds(60))
        say(isDrained ? "drained" : "undrained")
    }

    let time: ManualTime
    let sessions: DeviceSessions
    /// How many commands run for each device.
    private let running = Running()

    private final class Running: Sendable {
        let counts = Mutex<[String: Int]>([:])
    }

    init(time: ManualTime, sessions: DeviceSessions) { (self.time, self.sessions) = (time, sessions) }

    /// Moves the time, and tells when all has come to rest.
    private func move(to milliseconds: String) {
        let left = Timestamp(milliseconds: Int64(milliseconds) ?? 0).since(time.now)
        if left > .zero { time.advance(by: left) }
        Task.detached {
            let hasRested = (try? await eventually { isAtRest }) != nil
            Self.say("\(hasRested ? "rested" : "restless") time \(milliseconds)")
        }
    }

    /// Whether all that is under way waits for time: for each device that a command runs for, the look for its user; and
    /// the look for idle sessions.
    private var isAtRest: Bool {
        let devices = running.counts.withLock { $0.count }
        return time.pauses >= devices + (sessions.count > 0 ? 1 : 0)
    }

    private func begin(_ command: String, _ name: String) {
        // Before the next line is read, which may move the time.
        running.counts.withLock { $0[name, default: 0] += 1 }
        Task.detached {
            let answer = await serve(command, name)
            running.counts.withLock { counts in
                let rest = (counts[name] ?? 1) - 1
                counts[name] = rest > 0 ? rest : nil
            }
            Self.say("\(answer) \(command) \(name)")
        }
    }

    private static func sessions(_ arguments: [String], _ time: ManualTime) throws -> DeviceSessions {
        let keys = RecordSealer(try SealingKeys(contentsOfFile: arguments[2]))
        // Attempts to change a record wait in real time: they may meet while the time stands still.
        let directory = DeviceDirectory(
            in: try store(arguments[1], TimeSource(ContinuousClock()) { time.now }), sealer: keys,
            time: StandingClock.source { time.now })
        let origin = try BrokerOrigin(parsing: arguments[3])
        let statement = try String(contentsOfFile: arguments[4], encoding: .utf8)
        // No call runs into its limit, however far the time is moved and however busy the machine is.
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(86_400)
        var connections = AsyncHTTPTransport.Settings()
        connections.connectTimeLimit = .seconds(60)
        let broker = Broker(
            at: BrokerEnvironment(of: origin), application: Broker.Application(try SoftwareStatement(statement)),
            records: directory, over: try AsyncHTTPTransport(connections), settings: settings, time: time.source)
        let application = EntitlementApplication(
            at: broker, domain: "example.com", redirect: "https://example.com/done")
        return DeviceSessions(for: application) { session throws(EntitlementFlowError) in
            try await session.setRequestor("REF30")
        }
    }

    /// Opens a store, whose limits are of real time.
    private static func store(_ name: String, _ time: TimeSource) throws -> any RecordStore {
        if name.hasPrefix("sqlite:") { return try SQLiteRecordStore(path: String(name.dropFirst(7)), time: time) }
        #if Redis
        let settings = try RedisPoolSettings(timeLimit: .seconds(60), connectTimeLimit: .seconds(60))
        return try RedisRecordStore(try RedisAddress(.unixSocket(path: name)), settings: settings, time: time)
        #else
        throw CocoaError(.featureUnsupported)
        #endif
    }

    /// Writes a line, if the test is still there.
    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Serves a command, and tells how it ended.
    private func serve(_ command: String, _ name: String) async -> String {
        do {
            let device = Device(
                key: DeviceKey(name), identifier: try DeviceIdentifier(name),
                info: try DeviceInfo([.primaryHardwareType: "TV", .model: "TV", .osName: "Tizen", .osVersion: "8"]))
            // Requests are paced by address, and each household has one.
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("10.0.0.\(1 + (Int(name.filter(\.isNumber)) ?? 0) % 250)")
            return try await sessions.with(device, options: options) { session in
                command == "play" ? try await play(session) : try await signIn(session)
            }
        } catch let error as EntitlementFlowError {
            return error.code
        } catch {
            return "error"
        }
    }

    private func signIn(_ session: EntitlementSession) async throws -> String {
        if case .authenticated = try await session.checkAuthentication() { return "in" }
        do {
            _ = try await session.awaitAuthentication()
        } catch .notAuthenticated, .codeEnded {
            // Nothing is under way.
            _ = try await session.setSelectedProvider("SampleCable")
            _ = try await session.awaitAuthentication()
        }
        return "in"
    }

    private func play(_ session: EntitlementSession) async throws -> String {
        switch try await session.getAuthorization("news") {
        case .permitted: "permitted"
        case .denied: "denied"
        case .needsAuthentication: "signed-out"
        }
    }
}
#else
/// Needs the trait Client.
@main
enum DeviceWorker {
    static func main() {}
}
#endif
