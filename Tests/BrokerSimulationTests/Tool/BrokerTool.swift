#if Client
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import SQLiteStores
import SealedRecords

/// The built `tve broker`, with a simulated broker and a folder of its own.
final class BrokerTool: Sendable {
    struct Outcome {
        let exitCode: Int32
        let output: String
        let error: String

        /// Standard output as one JSON object.
        var object: [String: Any] { Self.object(output) }
        /// The code of the failure on standard error.
        var failure: String? { (Self.object(error)["error"] as? [String: Any])?["code"] as? String }

        private static func object(_ text: String) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
        }
    }

    let simulator: BrokerSimulator
    let server: SimulatorServer
    let folder: URL

    var state: String { folder.appending(path: "deep/state/broker.sqlite").path }
    var keys: String { state + ".keys" }

    init() async throws {
        simulator = try BrokerSimulator(keys: try Simulation.keys.get())
        server = try await SimulatorServer(simulator)
        folder = FileManager.default.temporaryDirectory.appending(path: "tve-broker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(try simulator.softwareStatement(of: "REF30") + "\n", to: "statement.jwt")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Runs `tve broker` with the options that every call needs, and those given.
    func run(
        _ command: String,
        _ arguments: [String] = [],
        origin: String? = nil,
        statement: String = "statement.jwt",
        requestor: String = "REF30"
    ) throws -> Outcome {
        try run(
            ["broker", command, "--requestor", requestor, "--statement", folder.appending(path: statement).path]
                + ["--state", state, "--at", origin ?? server.origin] + arguments)
    }

    /// Runs `tve`.
    func run(_ arguments: [String]) throws -> Outcome {
        let outputs = [UUID().uuidString, UUID().uuidString].map { folder.appending(path: $0) }
        for output in outputs { try Data().write(to: output) }
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tve")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "TVE_BROKER" }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputs[0])
        process.standardError = try FileHandle(forWritingTo: outputs[1])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            exitCode: process.terminationStatus, output: try String(contentsOf: outputs[0], encoding: .utf8),
            error: try String(contentsOf: outputs[1], encoding: .utf8))
    }

    /// What the tool keeps of itself.
    func record() async throws -> DeviceRecord? {
        let store = try SQLiteRecordStore(path: state)
        let directory = DeviceDirectory(
            in: store, sealer: RecordSealer(try SealingKeys(contentsOfFile: keys)))
        return try await directory.record(of: "tve")
    }

    /// The permissions of a file.
    func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
}
#endif
