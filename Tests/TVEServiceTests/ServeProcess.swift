#if Service
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// `tve serve` as a process of its own, ended with the object.
final class ServeProcess: Sendable {
    let publicPort: Int
    let internalPort: Int
    private let process: Mutex<Process>

    /// Starts it and waits until it is healthy.
    ///
    /// - Parameters:
    ///   - changes: Settings besides those of all services of the tests.
    ///   - standardError: What takes its log.
    /// - Throws: What keeps it from starting, or from becoming healthy within 20 seconds.
    init(_ changes: [String: String], standardError: Pipe) async throws {
        publicPort = try await Self.freePort()
        internalPort = try await Self.freePort()
        let ports = ["public.port": "\(publicPort)", "internal.port": "\(internalPort)"]
        let process = Self.tool(["serve"] + Self.options(changes.merging(ports) { $1 }))
        process.standardError = standardError
        try process.run()
        self.process = Mutex(process)
        for _ in 0..<1000 {
            if let bytes = try? await RawConnection.exchange(internalPort, request("GET", "/healthz")),
                Answer.all(in: bytes).first?.status == 200
            {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit { kill(SIGKILL) }

    func kill(_ signal: Int32) {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
        }
    }

    /// Waits for its end.
    func exitCode() -> Int32 {
        process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Runs `tve serve --check`.
    static func check(_ changes: [String: String]) throws -> (exitCode: Int32, output: String, error: String) {
        let process = tool(["serve", "--check"] + options(changes))
        let (output, error) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, error)
        try process.run()
        // Short texts, which pipes take whole.
        process.waitUntilExit()
        let text = { (pipe: Pipe) in
            String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        return (process.terminationStatus, text(output), text(error))
    }

    private static func tool(_ arguments: [String]) -> Process {
        let process = Process()
        // Beside the test runner, where the build puts both.
        process.executableURL = URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tve")
        process.arguments = arguments
        return process
    }

    private static func options(_ changes: [String: String]) -> [String] {
        RunningService.settings.merging(changes) { $1 }.filter { !$0.value.isEmpty }
            .flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    /// A port where nobody listens at the moment.
    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        return channel.localAddress?.port ?? 0
    }
}
#endif
