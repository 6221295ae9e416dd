import Foundation
import Workloads

/// Runs the Java program of this folder in a process that waits for its turns.
final class JavaVerifier: Contender {
    let name = "Java: Signature and a DOM parse, whole token, 2048 bits"
    let floor: String?
    let isLong = false
    private let process = Process()
    private let questions = Pipe()
    private let answers = Pipe()

    /// Starts `java` on a source file, and runs it until the virtual machine has compiled it.
    init(source: String, folder: URL, floor: String) async throws {
        self.floor = floor
        let input = try JavaInput(in: folder)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["java", source, input.keyFile, input.tokenFile]
        process.standardInput = questions
        process.standardOutput = answers
        try process.run()
        for _ in 0..<20 { _ = try await time(2000) }
    }

    deinit {
        try? questions.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Measures all threads of the process, the garbage collector's, too.
    func time(_ times: Int) async throws -> Elapsed {
        var clock = clockid_t()
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0 else {
            throw WorkloadError.wrongOutcome(name)
        }
        let start = nanoseconds(CLOCK_MONOTONIC)
        let used = nanoseconds(clock)
        try questions.fileHandleForWriting.write(contentsOf: Data("\(times)\n".utf8))
        var byte: Data?
        repeat {
            byte = try answers.fileHandleForReading.read(upToCount: 1)
            guard byte?.isEmpty == false else { throw WorkloadError.wrongOutcome(name) }
        } while byte?.first != UInt8(ascii: "\n")
        return Elapsed(processor: nanoseconds(clock) - used, clock: nanoseconds(CLOCK_MONOTONIC) - start)
    }
}
