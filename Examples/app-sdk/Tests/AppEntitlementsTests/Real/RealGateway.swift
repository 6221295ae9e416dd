import AppEntitlements
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `tve simulate` and `tve serve` as processes; the variable TVE has the path of the tool.
final class RealGateway: @unchecked Sendable {
    /// The tool; `nil` if the variable is not set.
    static let tool = ProcessInfo.processInfo.environment["TVE"].map { URL(fileURLWithPath: $0) }
    static let returnTo = "exampletv://done"

    let address: URL
    let broker: URL
    private let folder: URL
    private let devicesPerMinute: Int
    // Sendable: tests use it from one task at a time.
    private var processes: [Process] = []

    /// Starts both.
    ///
    /// - Parameter devicesPerMinute: How many devices an address may register.
    /// - Throws: An error if one of them does not start.
    init(devicesPerMinute: Int = 1000) async throws {
        self.devicesPerMinute = devicesPerMinute
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-sdk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (port, inner) = (try RawServer.freePort(), try RawServer.freePort())
        address = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let simulator = try Self.start([
            "simulate", "--port", "0", "--state", folder.appendingPathComponent("broker").path, "--login", "auto",
            "--output", "json",
        ])
        processes = [simulator.process]
        let banner = try JSONDecoder().decode([String: String].self, from: simulator.firstLine())
        broker = try #require(banner["url"].flatMap(URL.init))
        try #require(banner["softwareStatement"]).write(to: file("statement"), atomically: true, encoding: .utf8)
        let made = try Self.start(["devices", "keys", file("devices.keys").path])
        made.process.waitUntilExit()
        try String(repeating: "k", count: 32).write(to: file("session.key"), atomically: true, encoding: .utf8)
        try settings(banner, port: port, inner: inner).write(to: file("serve.json"), atomically: true, encoding: .utf8)
        try await serve()
    }

    /// Starts `tve serve`, also once more after ``stopServing()``.
    func serve() async throws {
        processes.append(try Self.start(["serve", "--config", file("serve.json").path]).process)
        for _ in 0..<400 {
            if (try? await URLSession.shared.data(from: address)) != nil { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw CocoaError(.executableLoad)
    }

    /// Ends `tve serve` as a crash does.
    func stopServing() {
        guard processes.count > 1 else { return }
        let process = processes.removeLast()
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        for process in processes.reversed() {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a test, asks what the operator's checklist says of the calls to the broker, and stops both.
    ///
    /// - Parameters:
    ///   - devicesPerMinute: How many devices an address may register.
    ///   - items: The items of the checklist for which the test gives an occasion, so that they have to pass.
    ///   - known: The mandatory items that the gateway is known to fail in this test; all others must not fail.
    ///   - body: The test.
    /// - Throws: What the test throws, or an error if there is no report.
    static func with(
        devicesPerMinute: Int = 1000, passing items: [String] = [], failing known: [String] = [],
        _ body: (RealGateway) async throws -> Void
    ) async throws {
        let gateway = try await RealGateway(devicesPerMinute: devicesPerMinute)
        defer { gateway.stop() }
        try await body(gateway)
        try await gateway.reviewCalls(passing: items, failing: known)
    }

    /// Fails the test if the calls to the broker fail a mandatory item of the operator's checklist that is not known to
    /// fail, or do not pass those named.
    private func reviewCalls(passing names: [String], failing known: [String]) async throws {
        let items = try #require(try await control("GET", "sim/report")["items"]?.elements)
        var verdicts: [String: String] = [:]
        for item in items {
            let (id, verdict) = (try #require(item["id"]?.text), try #require(item["verdict"]?.text))
            let isMandatory = try #require(item["mandatory"]?.boolean as Bool?)
            verdicts[id] = verdict
            let isFault = isMandatory && verdict == "fail" && !known.contains(id)
            #expect(!isFault, "\(id): \(item["detail"]?.text ?? "")")
        }
        #expect(!verdicts.isEmpty)
        for name in names { #expect(verdicts[name] == "pass", "\(name)") }
    }

    /// Sends a request to the control paths of the simulated broker.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: String = "{}") async throws -> JSONValue {
        var request = URLRequest(url: broker.appendingPathComponent(path))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if ["POST", "PUT"].contains(method) { request.httpBody = Data(body.utf8) }
        let (data, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse).map { 200..<300 ~= $0.statusCode } == true, "\(path)")
        return (try? JSONDecoder().decode(JSONValue.self, from: data)) ?? .null
    }

    /// Whether media servers let a player in with a session.
    func authorizes(_ session: String, for resource: String) async throws -> Bool {
        var request = URLRequest(url: address.appendingPathComponent("v1/authz"))
        request.setValue("/live/\(resource)/1.ts?session=\(session)", forHTTPHeaderField: "X-Original-URI")
        let (_, answer) = try await URLSession.shared.data(for: request)
        return (answer as? HTTPURLResponse)?.statusCode == 200
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    private func settings(_ banner: [String: String], port: UInt16, inner: UInt16) throws -> String {
        let app = #"""
            {"requestor":"REF30","statementFile":"\#(file("statement").path)","domain":"example.com",
             "returnTo":["\#(Self.returnTo)"],"attributes":["zip","userID"],
             "promotionalProviders":["PromoPass"]}
            """#
        return #"""
            {"public":{"host":"127.0.0.1","port":\#(port)},"internal":{"host":"127.0.0.1","port":\#(inner)},
             "keys":{"paths":["\#(try #require(banner["mediaKey"]))"]},"store":{"address":"memory:"},
             "authz":{"requestors":["REF30"],"resources":["/live/{resource}/* {resource}"]},
             "sessions":{"keyFiles":["\#(file("session.key").path)"],"store":"memory:","parameter":"session"},
             "broker":{"origin":"\#(broker.absoluteString)","publicURL":"\#(address.absoluteString)",
               "store":"sqlite:\#(file("devices.sqlite").path)","keyFile":"\#(file("devices.keys").path)",
               "devicesPerMinute":\#(devicesPerMinute),"codesPerMinute":1000,"apps":{"tv":\#(app)}},
             "log":{"level":"error"},"drain":{"waitSeconds":0,"limitSeconds":1}}
            """#
    }

    private struct Started {
        let process: Process
        let output: Pipe

        /// The first line of the output.
        func firstLine() throws -> Data {
            var line = Data()
            while !line.contains(10) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw CocoaError(.executableLoad) }
                line += more
            }
            return line
        }
    }

    private static func start(_ arguments: [String]) throws -> Started {
        let (process, output) = (Process(), Pipe())
        process.executableURL = tool
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return Started(process: process, output: output)
    }
}
