#if Service
import Foundation
import TestVectors

/// `tve serve` in a process of its own, which is killed when the object is released.
final class ServeProcess: Sendable {
    let publicPort: Int
    let internalPort: Int
    /// What it writes to standard error.
    let log: PipeReader
    let program: StartedProgram

    /// Says what a process wrote that ended although it should serve.
    struct Ended: Error {
        let log: String
    }

    /// Starts it on ports that the system chooses, and waits until it is healthy.
    ///
    /// - Parameters:
    ///   - changes: Settings that differ from `RunningService.settings`; the log must have the level `info` at least.
    ///   - environment: Variables that differ from those of this process.
    ///   - maximumFiles: How many files it may open; `nil` for as many as this process.
    ///   - readsLog: Whether its log is read from now on; only its beginning otherwise, which says the ports.
    /// - Throws: An error if it does not start, or does not become healthy.
    init(
        _ changes: [String: String],
        environment: [String: String] = [:],
        maximumFiles: Int? = nil,
        readingLog readsLog: Bool = true
    ) async throws {
        let arguments = ["serve"] + Self.options(changes)
        // The shell takes the files from itself, and then becomes the tool.
        let shell = maximumFiles.map { ["-c", "ulimit -n \($0) && exec \"$0\" \"$@\"", Self.tool.path] }
        let pipe = Pipe()
        program = try StartedProgram(
            shell == nil ? Self.tool : URL(filePath: "/bin/sh"), (shell ?? []) + arguments, environment: environment,
            output: .open(.standardOutput), errors: .pipe(pipe))
        let log = PipeReader(pipe)
        log.start { !readsLog && Self.ports(in: $0) != nil }
        self.log = log
        (publicPort, internalPort) = try await polled {
            if log.isOver { throw Ended(log: log.text) }
            guard let (one, other) = Self.ports(in: log.text) else { return nil }
            // The log does not say which is which.
            if await Self.isHealthy(at: one) { return (other, one) }
            return await Self.isHealthy(at: other) ? (one, other) : nil
        }
    }

    /// The ports of both listeners, as the beginning of the log has them.
    private static func ports(in log: String) -> (one: Int, other: Int)? {
        let found = log.matches(of: /listening on 127\.0\.0\.1:([0-9]+)"/).compactMap { Int($0.1) }
        return found.count == 2 ? (found[0], found[1]) : nil
    }

    private static func isHealthy(at port: Int) async -> Bool {
        let bytes = try? await RawConnection.exchange(port, request("GET", "/healthz"))
        return bytes.flatMap { Answer.all(in: $0).first?.status } == 200
    }

    /// How many files and connections it has open.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/fd").count
    }

    /// Lets it open no further files than so many.
    func limitOpenFiles(to count: Int) async throws {
        try await TVEServiceTests.run("prlimit", "--pid", "\(program.identifier)", "--nofile=\(count):")
    }

    /// The processor time that it has used so far, in seconds.
    func processorTime() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(program.identifier)/stat", encoding: .utf8)
        // The name of the program, in parentheses, may hold anything.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Runs `tve serve --check`.
    static func check(_ changes: [String: String]) async throws -> Program.Outcome {
        try await run("--check", changes)
    }

    /// Runs `tve serve` with settings that end it at once.
    static func refused(_ changes: [String: String]) async throws -> Program.Outcome {
        try await run(nil, changes)
    }

    /// Runs `tve serve` to its end, with a flag that makes it end.
    static func run(_ flag: String?, _ changes: [String: String]) async throws -> Program.Outcome {
        try await Program.run(tool, ["serve"] + [flag].compactMap(\.self) + options(changes))
    }

    static let tool = Program.built("tve")

    private static func options(_ changes: [String: String]) -> [String] {
        RunningService.settings.merging(changes) { $1 }.filter { !$0.value.isEmpty }
            .flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }
}
#endif
