#if Client
import Foundation
import TestVectors

/// Certificates for tests, made by the `openssl` command: an authority, and what it and another one certify.
final class TestCertificates: Sendable {
    /// Made once; the folder is in the system's place for temporary files.
    static let shared = Task { try await TestCertificates() }

    /// What a program says that did not do what it was run for.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "tve-tls-\(UUID().uuidString)")

    private init() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for authority in ["authority", "stranger"] {
            try await run(
                "req -x509 -nodes -days 2 -subj /CN=\(authority) \(Self.newKey) -keyout \(authority).key -out \(authority).pem"
            )
        }
        try await certify("good", by: "authority", names: "DNS:localhost,IP:127.0.0.1", days: 2)
        try await certify("unknown", by: "stranger", names: "DNS:localhost,IP:127.0.0.1", days: 2)
        try await certify("expired", by: "authority", names: "DNS:localhost,IP:127.0.0.1", days: -1)
        try await certify("other-name", by: "authority", names: "DNS:elsewhere.example", days: 2)
        try await certify("address-only", by: "authority", names: "IP:127.0.0.1", days: 2)
        try await certify("common-name-only", by: "authority", names: "email:a@example.org", days: 2)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"

    private func certify(_ name: String, by authority: String, names: String, days: Int) async throws {
        try "subjectAltName=\(names)\n".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try await run("req -nodes -subj /CN=localhost \(Self.newKey) -keyout \(name).key -out \(name).csr")
        try await run(
            "x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -set_serial \(name.utf8.count) "
                + "-days \(days) -extfile \(name).ext -out \(name).pem")
    }

    private func run(_ arguments: String) async throws {
        let made = try await Program.runOpenSSL(arguments.split(separator: " ").map(String.init), in: folder)
        guard made.exitCode == 0 else { throw Failed(description: made.error) }
    }
}

/// An `openssl s_server`, which answers each GET with a page about the connection; it is stopped when the object goes.
final class TLSServer {
    let port: Int
    private let program: StartedProgram
    private let output: URL

    /// Starts a server on a port of 127.0.0.1 that the system chooses, and waits until it says which.
    init(_ certificate: String, _ certificates: TestCertificates, options: [String] = []) async throws {
        let output = certificates.folder.appending(path: UUID().uuidString)
        guard let openSSL = Program.openSSL else { throw CocoaError(.fileNoSuchFile) }
        let program = try StartedProgram(
            openSSL,
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "\(certificate).pem", "-key", "\(certificate).key"]
                + ["-www"] + options, in: certificates.folder, output: .file(output))
        let port = try await polled("the port of s_server") {
            let said = try String(contentsOf: output, encoding: .utf8)
            guard program.isRunning else { throw TestCertificates.Failed(description: said) }
            return Self.port(in: said)
        }
        (self.port, self.program, self.output) = (port, program, output)
    }

    /// The port in a line like `ACCEPT 127.0.0.1:4433`, once the line is whole.
    private static func port(in text: String) -> Int? {
        guard let start = text.firstRange(of: "ACCEPT 127.0.0.1:")?.upperBound,
            let end = text[start...].firstIndex(of: "\n")
        else { return nil }
        return Int(text[start..<end])
    }

    deinit { try? FileManager.default.removeItem(at: output) }
}
#endif
