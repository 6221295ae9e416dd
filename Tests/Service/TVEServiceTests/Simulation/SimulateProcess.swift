#if Service
import Foundation
import TestVectors

/// `tve simulate` in a process of its own, which is killed when the object is released.
final class SimulateProcess: Sendable {
    /// What the first line of standard output says.
    let banner: [String: String]
    let port: Int
    let program: StartedProgram

    var url: String { banner["url"] ?? "" }

    /// Starts it on a free port, and waits for its first line.
    ///
    /// - Parameters:
    ///   - arguments: Options besides `--port 0 --output json`.
    ///   - environment: Variables that differ from those of the tests.
    /// - Throws: An error if there is no such line.
    init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        let pipe = Pipe()
        program = try StartedProgram(
            Program.built("tve"), ["simulate", "--port", "0", "--output", "json"] + arguments,
            environment: environment, output: .pipe(pipe))
        let output = PipeReader(pipe)
        output.start()
        let line = try await polled {
            let text = output.text
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
            if output.isOver { throw POSIXError(.EPIPE) }
            return nil
        }
        banner = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String] ?? [:]
        port = banner["url"].flatMap { URL(string: $0)?.port } ?? 0
    }

    /// Runs it with a command line that it refuses.
    static func refused(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (exitCode: Int32, code: String?, output: String) {
        let ended = try await Program.run(
            Program.built("tve"), ["simulate", "--output", "json"] + arguments, environment: environment)
        let object = try? JSONSerialization.jsonObject(with: Data(ended.error.utf8)) as? [String: Any]
        return (ended.exitCode, (object?["error"] as? [String: Any])?["code"] as? String, ended.output)
    }

    // MARK: Requests

    /// Sends a request as a program at this machine does.
    func ask(
        _ method: String = "GET",
        _ target: String,
        _ fields: [String] = [],
        json: String? = nil,
        form: String? = nil,
        host: String? = nil
    ) async throws -> Answer {
        var head =
            ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + fields
        if json != nil { head.append("Content-Type: application/json") }
        if form != nil { head.append("Content-Type: application/x-www-form-urlencoded") }
        let body = Array((json ?? form ?? "").utf8)
        if !body.isEmpty || method == "POST" { head.append("Content-Length: \(body.count)") }
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        let answers = Answer.all(in: try await RawConnection.exchange(port, bytes))
        guard let answer = answers.first else { throw POSIXError(.ECONNRESET) }
        return answer
    }

    /// The credentials of a device: registered with the banner's statement.
    func device(_ name: String = "tv") async throws -> SimulatedDevice {
        try await SimulatedDevice(name, self)
    }
}

/// An application on a device, which speaks to `tve simulate` over HTTP as the reference says.
struct SimulatedDevice: Sendable {
    let simulation: SimulateProcess
    let client: String
    let fields: [String]

    private static let info = Data(
        #"{"model":"TV","version":"1","osName":"tvOS","osVersion":"18.2","connectionType":"wired"}"#.utf8
    ).base64EncodedString()

    init(_ name: String, _ simulation: SimulateProcess) async throws {
        self.simulation = simulation
        let statement = simulation.banner["softwareStatement"] ?? ""
        let info = "X-Device-Info: \(Self.info)"
        let registered = try await simulation.ask(
            "POST", "/o/client/register", [info], json: #"{"software_statement":"\#(statement)"}"#)
        client = registered.object["client_id"] as? String ?? ""
        let secret = registered.object["client_secret"] as? String ?? ""
        let token = try await simulation.ask(
            "POST", "/o/client/token", [info],
            form: "grant_type=client_credentials&client_id=\(client)&client_secret=\(secret)")
        fields = [
            info, "Authorization: Bearer \(token.object["access_token"] as? String ?? "")",
            "AP-Device-Identifier: fingerprint \(Data(name.utf8).base64EncodedString())",
        ]
    }

    /// Begins a sign-in; the whole answer.
    func session(_ form: String = "mvpd=SampleCable&domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F")
        async throws -> [String: Any]
    {
        try await simulation.ask("POST", "/api/v2/REF30/sessions", fields, form: form).object
    }

    func profiles() async throws -> [String: Any] {
        try await simulation.ask("GET", "/api/v2/REF30/profiles", fields).object["profiles"] as? [String: Any] ?? [:]
    }

    func authorize(_ resource: String = "live", mvpd: String = "SampleCable") async throws -> Answer {
        try await simulation.ask(
            "POST", "/api/v2/REF30/decisions/authorize/\(mvpd)", fields, json: #"{"resources":["\#(resource)"]}"#)
    }
}
#endif
