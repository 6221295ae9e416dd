#if Redis
package import Foundation
package import RedisStores
import Synchronization
import TestVectors

/// A `redis-server` of the system, in a folder of its own; it is stopped when the object goes.
package final class RedisServer: Sendable {
    /// The path of the program; tests that need it are skipped if it is not installed.
    package static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/redis-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    package let folder: URL
    /// The arguments for a port; for a Sentinel, the lines of its configuration.
    private let settings: @Sendable (_ port: Int) -> [String]
    private let isSentinel: Bool
    private let state = Mutex<(program: StartedProgram?, port: Int)>((nil, Ports.next()))

    /// Starts a server that listens on its socket only.
    package convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

    /// Starts a server that listens on its socket only.
    package convenience init(arguments: [String]) throws { try self.init(isSentinel: false) { _ in arguments } }

    /// Starts a server that listens on a port, too.
    ///
    /// - Parameter arguments: Its arguments for a port that it may take.
    /// - Throws: What ``start(_:)`` throws.
    package convenience init(onPort arguments: @escaping @Sendable (_ port: Int) -> [String]) throws {
        try self.init(isSentinel: false, arguments)
    }

    /// Starts a Sentinel.
    ///
    /// - Parameter lines: Its configuration for a port that it may take.
    /// - Throws: What ``start(_:)`` throws.
    package convenience init(sentinel lines: @escaping @Sendable (_ port: Int) -> [String]) throws {
        try self.init(isSentinel: true, lines)
    }

    private init(isSentinel: Bool, _ settings: @escaping @Sendable (Int) -> [String]) throws {
        // Short, since the path of a socket may have only about a hundred bytes.
        folder = URL(filePath: "/tmp/tve-redis-\(UUID().uuidString.prefix(13))")
        self.settings = settings
        self.isSentinel = isSentinel
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for _ in 0..<100 {
            do {
                if isSentinel { try configure() }
                try start()
                return
            } catch let fault as StartFault where fault.isOfPort {
                state.withLock { $0.port = Ports.next() }
            }
        }
        throw POSIXError(.EADDRINUSE)
    }

    deinit {
        kill(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    package var socketPath: String { path("redis.sock") }

    package var address: RedisAddress {
        get throws { try RedisAddress(.unixSocket(path: socketPath)) }
    }

    /// The port of 127.0.0.1 that its arguments were made for.
    package var port: Int { state.withLock { $0.port } }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
    private var log: String { path("redis.log") }
    /// The configuration of a Sentinel, which writes into it.
    private var configuration: String { path("sentinel.conf") }

    private func configure() throws {
        let own = ["unixsocket \(socketPath)", "dir \(folder.path)", "logfile \(log)"]
        try Data((own + settings(port)).map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: configuration))
    }

    /// A server that ended before it answered, and why.
    private struct StartFault: Error, CustomStringConvertible {
        let description: String
        var isOfPort: Bool { description.contains("Address already in use") }
    }

    /// Starts the server, again or for the first time, and keeps this thread until it answers.
    ///
    /// - Parameter more: Further arguments of this start.
    /// - Throws: What the server wrote to its log if it ended; `WaitedInVain` if it does not answer.
    package func start(_ more: String...) throws {
        kill(SIGKILL)
        for path in [socketPath, log] { try? FileManager.default.removeItem(atPath: path) }
        let usual = [
            "--port", "0", "--unixsocket", socketPath, "--dir", folder.path, "--save", "", "--loglevel", "warning",
            "--logfile", log,
        ]
        let program = try StartedProgram(
            URL(filePath: Self.executable ?? "redis-server"),
            (isSentinel ? [configuration, "--sentinel"] : usual + settings(port)) + more)
        state.withLock { $0.program = program }
        try hold { !program.isRunning || isAlive }
        guard program.isRunning else {
            throw StartFault(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
        }
    }

    private var isAlive: Bool {
        guard let said = try? say("PING") else { return false }
        return ["+PONG", "-NOAUTH", "-LOADING"].contains(where: said.hasPrefix)
    }

    /// Sends a signal to the server; after SIGKILL, keeps this thread until the server has ended.
    package func kill(_ signal: Int32) {
        state.withLock { state in
            state.program?.send(signal)
            guard signal == SIGKILL else { return }
            _ = try? state.program?.holdUntilItEnds()
            state.program = nil
        }
    }

    /// Sends one line, as a person would, and returns the first answer.
    @discardableResult
    package func say(_ line: String) throws -> String {
        let socket = try Socket.connected(to: socketPath)
        socket.write(Array("\(line)\r\n".utf8))
        return String(decoding: socket.readReply(), as: UTF8.self)
    }
}
#endif
