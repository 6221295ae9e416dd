#if Client
import Foundation
import NIOCore
import NIOPosix

/// Certificates for tests, made by the `openssl` command: an authority, and what it and another one certify.
final class TestCertificates: Sendable {
    static let executable = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/opt/openssl@3/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Made once; the folder is in the system's place for temporary files.
    static let shared = try? TestCertificates()

    let folder = FileManager.default.temporaryDirectory.appending(path: "tve-tls-\(UUID().uuidString)")

    private init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for authority in ["authority", "stranger"] {
            try run(
                "req -x509 -nodes -days 2 -subj /CN=\(authority) \(Self.newKey) -keyout \(authority).key -out \(authority).pem"
            )
        }
        try certify("good", by: "authority", names: "DNS:localhost,IP:127.0.0.1", days: 2)
        try certify("unknown", by: "stranger", names: "DNS:localhost,IP:127.0.0.1", days: 2)
        try certify("expired", by: "authority", names: "DNS:localhost,IP:127.0.0.1", days: -1)
        try certify("other-name", by: "authority", names: "DNS:elsewhere.example", days: 2)
        try certify("common-name-only", by: "authority", names: "email:a@example.org", days: 2)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"

    private func certify(_ name: String, by authority: String, names: String, days: Int) throws {
        try "subjectAltName=\(names)\n".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try run("req -nodes -subj /CN=localhost \(Self.newKey) -keyout \(name).key -out \(name).csr")
        try run(
            "x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -set_serial \(name.utf8.count) "
                + "-days \(days) -extfile \(name).ext -out \(name).pem")
    }

    private func run(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.executable ?? "openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }
}

/// An `openssl s_server`, which answers each GET with a page about the connection; it is stopped when the object goes.
final class TLSServer {
    let port: Int
    private let process = Process()

    /// Starts a server on a free port of 127.0.0.1, and waits until it listens.
    init(_ certificate: String, _ certificates: TestCertificates, options: [String] = []) async throws {
        let free = try await RawServer { _ in }
        port = free.port
        await free.stop()
        process.executableURL = URL(filePath: TestCertificates.executable ?? "openssl")
        process.currentDirectoryURL = certificates.folder
        process.arguments =
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", "\(certificate).pem", "-key", "\(certificate).key"]
            + ["-www"] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            if let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() {
                try? await channel.close()
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit {
        // It may have inherited that SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
