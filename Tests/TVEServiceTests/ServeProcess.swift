#if Service
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// `tve serve` in a process of its own, which is killed when the object is released.
final class ServeProcess: Sendable {
    let publicPort: Int
    let internalPort: Int
    var identifier: Int32 { process.withLock { $0.processIdentifier } }
    private let process: Mutex<Process>

    /// Starts it and waits until it is healthy.
    ///
    /// - Parameters:
    ///   - changes: Settings that differ from `RunningService.settings`.
    ///   - environment: Variables that differ from those of this process.
    ///   - maximumFiles: How many files it may open; `nil` for as many as this process.
    ///   - standardError: Takes its log.
    /// - Throws: An error if it does not start, or is not healthy within 20 seconds.
    init(
        _ changes: [String: String],
        environment: [String: String] = [:],
        maximumFiles: Int? = nil,
        standardError: Pipe
    ) async throws {
        publicPort = try await Self.freePort()
        internalPort = try await Self.freePort()
        let ports = ["public.port": "\(publicPort)", "internal.port": "\(internalPort)"]
        let process = Self.tool(["serve"] + Self.options(changes.merging(ports) { $1 }))
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardError = standardError
        if let maximumFiles, let tool = process.executableURL {
            let command = "ulimit -n \(maximumFiles) && exec \"$0\" \"$@\""
            process.arguments = ["-c", command, tool.path] + (process.arguments ?? [])
            process.executableURL = URL(filePath: "/bin/sh")
        }
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

    /// How many files and connections it has open.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count
    }

    /// Lets it open no further files than so many.
    func limitOpenFiles(to count: Int) throws {
        let tool = try Process.run(
            URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(identifier)", "--nofile=\(count):"])
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw POSIXError(.EPERM) }
    }

    /// The processor time that it has used so far, in seconds.
    func processorTime() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
        // The name of the program, in parentheses, may hold anything.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    func kill(_ signal: Int32) {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
        }
    }

    /// Waits until it has ended.
    func exitCode() -> Int32 {
        process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Runs `tve serve --check`.
    static func check(_ changes: [String: String]) throws -> (exitCode: Int32, output: String, error: String) {
        try run("--check", changes)
    }

    /// Runs `tve serve` with settings that end it at once.
    static func refused(_ changes: [String: String]) throws -> (exitCode: Int32, output: String, error: String) {
        try run(nil, changes)
    }

    /// Runs `tve serve` to its end, with a flag that makes it end.
    static func run(
        _ flag: String?, _ changes: [String: String]
    ) throws -> (exitCode: Int32, output: String, error: String) {
        let process = tool(["serve"] + [flag].compactMap(\.self) + options(changes))
        let (output, error) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, error)
        try process.run()
        // Its output is short enough for the pipes to hold.
        process.waitUntilExit()
        let text = { (pipe: Pipe) in
            String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        return (process.terminationStatus, text(output), text(error))
    }

    private static func tool(_ arguments: [String]) -> Process {
        let process = Process()
        // The build puts the tool next to the test runner.
        process.executableURL = URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "tve")
        process.arguments = arguments
        return process
    }

    private static func options(_ changes: [String: String]) -> [String] {
        RunningService.settings.merging(changes) { $1 }.filter { !$0.value.isEmpty }
            .flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    /// A port that is free at the moment.
    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        // The process cannot listen there before it is closed.
        try await channel.close()
        return port
    }
}
#endif
