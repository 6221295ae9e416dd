#if Redis
package import Foundation
package import RedisStores
import Synchronization

/// A `redis-server` of the system, in a folder of its own; it is stopped when the object goes.
package final class RedisServer: Sendable {
    /// The path of the program; tests that need it are skipped if it is not installed.
    package static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/redis-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    package let folder: URL
    private let arguments: [String]
    /// The file with the configuration of a Sentinel, which writes into it; `nil` for a server that keeps data.
    private let configuration: String?
    private let process = Mutex<Process?>(nil)

    package convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

    package convenience init(arguments: [String]) throws { try self.init(arguments: arguments, sentinel: nil) }

    /// Starts a Sentinel.
    package convenience init(sentinel lines: [String]) throws { try self.init(arguments: [], sentinel: lines) }

    private init(arguments: [String], sentinel lines: [String]?) throws {
        // Short, since the path of a socket may have only about a hundred bytes.
        folder = URL(filePath: "/tmp/tve-redis-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.arguments = arguments
        configuration = lines == nil ? nil : folder.appending(path: "sentinel.conf").path
        if let lines {
            let own = ["unixsocket \(folder.appending(path: "redis.sock").path)", "dir \(folder.path)"]
            try Data((own + lines).map { "\($0)\n" }.joined().utf8)
                .write(to: folder.appending(path: "sentinel.conf"))
        }
        try start()
    }

    deinit {
        kill(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    package var socketPath: String { folder.appending(path: "redis.sock").path }

    package var address: RedisAddress {
        get throws { try RedisAddress(.unixSocket(path: socketPath)) }
    }

    /// Starts the server, again or for the first time, and waits until it answers.
    ///
    /// - Parameter more: Further arguments of this start.
    /// - Throws: `POSIXError` if it does not answer.
    package func start(_ more: String...) throws {
        kill(SIGKILL)
        try? FileManager.default.removeItem(atPath: socketPath)
        let process = Process()
        process.executableURL = URL(filePath: Self.executable ?? "redis-server")
        let usual = [
            "--port", "0", "--unixsocket", socketPath, "--dir", folder.path, "--save", "", "--loglevel", "warning",
        ]
        process.arguments = configuration.map { [$0, "--sentinel"] } ?? usual + arguments + more
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        for _ in 0..<500 {
            if let said = try? say("PING"), Self.signsOfLife.contains(where: said.hasPrefix) { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    private static let signsOfLife = ["+PONG", "-NOAUTH", "-LOADING"]

    /// Sends a signal to the server; waits for its end after SIGKILL.
    package func kill(_ signal: Int32) {
        process.withLock { process in
            guard let running = process else { return }
            _ = Foundation.kill(running.processIdentifier, signal)
            if signal == SIGKILL {
                running.waitUntilExit()
                process = nil
            }
        }
    }

    /// Sends one line, as a person would, and returns the first answer.
    @discardableResult
    package func say(_ line: String) throws -> String {
        let socket = try Socket.connected(to: socketPath)
        socket.write(Array("\(line)\r\n".utf8))
        return String(decoding: socket.read(), as: UTF8.self)
    }
}
#endif
