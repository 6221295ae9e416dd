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

/// Serves devices as a server's replica does, for tests that need processes of their own: to race them, and to kill them.
///
/// Arguments: the store (`sqlite:PATH` or the socket of a Redis server), the file of sealing keys, the broker's origin,
/// the file of the software statement, the start and the factor of the time.
///
/// A line of standard input is a command and a device: `signin`, which goes on with a sign-in that is under way or begins
/// one, and ends when the user is signed in; or `play`. A line is written when it has ended: `in`, `permitted`,
/// `signed-out` or the code of an error, then the command and the device. At the end of the input the sessions are drained.
@main
struct DeviceWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let start = Int64(arguments[5]), let factor = Int(arguments[6]) else {
            FileHandle.standardError.write(Data("DeviceWorker STORE KEYS ORIGIN STATEMENT START FACTOR\n".utf8))
            exit(64)
        }
        let time = ScaledClock.source(from: Timestamp(milliseconds: start), factor: factor)
        let worker = DeviceWorker(sessions: try sessions(arguments, time))
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2 else { continue }
            Task.detached { await worker.serve(words[0], words[1]) }
        }
        let isDrained = await worker.sessions.drain(within: .seconds(60))
        say(isDrained ? "drained" : "undrained")
    }

    let sessions: DeviceSessions

    private static func sessions(_ arguments: [String], _ time: TimeSource) throws -> DeviceSessions {
        let keys = RecordSealer(try SealingKeys(contentsOfFile: arguments[2]))
        let directory = DeviceDirectory(in: try store(arguments[1], time), sealer: keys, time: time)
        let origin = try BrokerOrigin(parsing: arguments[3])
        let statement = try String(contentsOfFile: arguments[4], encoding: .utf8)
        // By a fast time, a busy machine would soon reach the limit of a call.
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(120)
        let broker = Broker(
            at: BrokerEnvironment(of: origin), over: AsyncHTTPTransport.shared, settings: settings, time: time)
        let application = EntitlementApplication(
            statement: try SoftwareStatement(statement), at: broker, directory: directory, domain: "example.com",
            redirect: "https://example.com/done")
        return DeviceSessions(for: application) { session throws(EntitlementFlowError) in
            try await session.setRequestor("REF30")
        }
    }

    private static func store(_ name: String, _ time: TimeSource) throws -> any RecordStore {
        if name.hasPrefix("sqlite:") { return try SQLiteRecordStore(path: String(name.dropFirst(7)), time: time) }
        #if Redis
        return try RedisRecordStore(try RedisAddress(.unixSocket(path: name)), time: time)
        #else
        throw CocoaError(.featureUnsupported)
        #endif
    }

    /// Writes a line, if the test is still there.
    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private func serve(_ command: String, _ name: String) async {
        var answer: String
        do {
            let device = Device(
                key: DeviceKey(name), identifier: try DeviceIdentifier(name),
                info: try DeviceInfo([.primaryHardwareType: "TV", .model: "TV", .osName: "Tizen", .osVersion: "8"]))
            // Requests are paced by address, and each household has one.
            var options = SessionOptions()
            options.clientAddress = try ClientAddress("10.0.0.\(1 + (Int(name.filter(\.isNumber)) ?? 0) % 250)")
            answer = try await sessions.with(device, options: options) { session in
                command == "play" ? try await play(session) : try await signIn(session)
            }
        } catch let error as EntitlementFlowError {
            answer = error.code
        } catch {
            answer = "error"
        }
        Self.say("\(answer) \(command) \(name)")
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
