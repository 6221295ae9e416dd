#if Client
import BrokerBench
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
        /// Standard output as JSON objects, one a line.
        var objects: [[String: Any]] { output.split(separator: "\n").map { Self.object(String($0)) } }

        private static func object(_ text: String) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
        }
    }

    let simulator: BrokerSimulator
    let server: SimulatorServer
    let folder: URL

    var state: String { folder.appending(path: "deep/state/broker.sqlite").path }
    var keys: String { state + ".keys" }

    init(
        keys: SimulatorKeys? = nil,
        world: SimulatedWorld = .sample,
        rewritingBy rewriter: @escaping SimulatorServer.Rewriter = { $1 }
    ) async throws {
        simulator = try BrokerSimulator(world: world, keys: try keys ?? Simulation.keys.get())
        server = try await SimulatorServer(simulator, rewritingBy: rewriter)
        folder = FileManager.default.temporaryDirectory.appending(path: "tve-broker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(try simulator.softwareStatement(of: "REF30") + "\n", to: "statement.jwt")
        try write(try simulator.softwareStatement(of: "REF30", allowing: .temporaryAccess) + "\n", to: "reset.jwt")
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
    ) async throws -> Outcome {
        try await run(
            ["broker", command] + arguments
                + common(origin: origin, statement: statement, requestor: requestor))
    }

    /// The options that every call needs.
    private func common(origin: String?, statement: String, requestor: String) -> [String] {
        ["--requestor", requestor, "--statement", folder.appending(path: statement).path]
            + ["--state", state, "--at", origin ?? server.origin]
    }

    /// Runs `tve`.
    func run(_ arguments: [String]) async throws -> Outcome {
        try await RunningTool(arguments, of: self).outcome()
    }

    /// Starts `tve broker` with the options that every call needs, and those given.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - arguments: Further arguments.
    ///   - terminal: What all its standard streams are; otherwise files.
    ///   - environment: Variables that differ from those of the tests.
    /// - Returns: The run.
    /// - Throws: An error of the system.
    func start(
        _ command: String,
        _ arguments: [String] = [],
        at terminal: PseudoTerminal? = nil,
        environment: [String: String] = [:]
    ) throws -> RunningTool {
        try RunningTool(
            ["broker", command] + arguments
                + common(origin: nil, statement: "statement.jwt", requestor: "REF30"),
            of: self, at: terminal, environment: environment)
    }

    /// Registers the tool, and gives it a profile.
    func signIn(as user: String = "ok", with mvpd: MVPDID = "SampleCable") async throws {
        _ = try await run("register")
        let record = try await record()
        guard let client = record?.registrations.values.first?.credentials.clientID,
            let device = record?.identifier?.text
        else { return }
        try simulator.grantProfile(of: mvpd, client: client, device: device, user: user)
    }

    /// How many requests an endpoint got.
    func count(_ endpoint: BrokerEndpoint) -> Int { simulator.journal.count { $0.endpoint == endpoint } }

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
