import Foundation
import Testing

/// How a batch runs: order, memory, signals, readers that stop.
@Suite struct DecryptRunTests {
    private func rows(_ count: Int) throws -> String {
        let values = try ["77754", "12345", "90210"].map { try Decrypting.encrypted($0) }
        return (0..<count).map { number in
            number % 7 == 3 ? "{\"id\":\(number)}\n" : "{\"id\":\(number),\"zip\":\"\(values[number % 3])\"}\n"
        }.joined()
    }

    @Test(arguments: [[], ["--jobs", "1"], ["--jobs", "7"], ["--memo", "0", "--jobs", "3"], ["--line-buffered"]])
    func theOrderIsKept(_ arguments: [String]) throws {
        let count = arguments.contains("--memo") ? 300 : 3000
        let outcome = try Decrypting.batch(Array(try rows(count).utf8), ["--field", "zip"] + arguments)
        #expect(outcome.objects.compactMap { $0["id"] as? Int } == Array(0..<count))
        let texts = ["77754", "12345", "90210"]
        let expected = (0..<count).map { $0 % 7 == 3 ? nil : texts[$0 % 3] }
        #expect(outcome.objects.map { $0["zip"] as? String } == expected)
        #expect(outcome.exitCode == 0)
    }

    /// A run whose input and output this test holds.
    private final class Run {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        let errors = Pipe()

        init(_ arguments: [String]) throws {
            process.executableURL = Tool.executable
            process.arguments = ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip"] + arguments
            process.standardInput = input
            process.standardOutput = output
            process.standardError = errors
            // A shell lets what it starts in the background ignore the signal, which is handed down.
            signal(SIGINT, SIG_DFL)
            try process.run()
        }

        deinit {
            if process.isRunning { process.terminate() }
        }

        func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

        /// What comes next, at least one line.
        func lines() throws -> String {
            var bytes = Data()
            while bytes.last != 0x0A {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                bytes += more
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        func rest() throws -> String {
            String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }

        func report() throws -> String {
            String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
    }

    /// A caller that waits for each answer before it sends the next row, or half of it, must get it.
    @Test(.timeLimit(.minutes(15)), arguments: [[], ["--line-buffered"]])
    func answersComeBeforeMoreIsWaitedFor(_ arguments: [String]) throws {
        let run = try Run(arguments)
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        for _ in 0..<3 {
            try run.write(row + row.prefix(9))
            #expect(try run.lines().hasPrefix("{\"zip\":\"77754\""))
            try run.write(String(row.dropFirst(9)))
            #expect(try run.lines().hasPrefix("{\"zip\":\"77754\""))
        }
        try run.input.fileHandleForWriting.close()
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 0)
    }

    @Test(.timeLimit(.minutes(15)), arguments: [SIGTERM, SIGINT])
    func aSignalEndsTheReadingAndNoRow(_ signal: Int32) throws {
        let run = try Run([])
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        try run.write(String(repeating: row, count: 100) + "{\"half\":")
        let first = try run.lines()
        kill(run.process.processIdentifier, signal)
        let answers = try (first + run.rest()).split(separator: "\n")
        run.process.waitUntilExit()
        #expect(run.process.terminationReason == .exit)
        #expect(run.process.terminationStatus == 128 + signal)
        // What was read is answered whole; how much was read is up to the machine.
        #expect((1...100).contains(answers.count))
        #expect(answers.allSatisfy { $0.hasSuffix("}}") })
        let report = try run.report()
        #expect(report.contains("\"rows\":\(answers.count),") && report.contains("\"interrupted\":true"))
    }

    @Test(.timeLimit(.minutes(15))) func aSignalEndsTheWaitForInput() throws {
        let run = try Run([])
        try run.write("{}\n")
        #expect(try run.lines().contains("missing_field"))
        run.process.terminate()
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 143)
    }

    @Test(.timeLimit(.minutes(15))) func aReaderThatStopsEndsTheRunQuietly() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("rows")
        try folder.write(String(repeating: "{\"zip\":\"x\"}\n", count: 200_000), to: file)
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = Tool.executable
        process.arguments = ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip"]
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: file))
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try output.fileHandleForWriting.close()
        _ = try output.fileHandleForReading.read(upToCount: 100)
        try output.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        #expect(try errors.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    /// Memory does not grow with the input: here a hundred mebibytes of long rows, and in `.ci/decrypt_check.py` many.
    ///
    /// AddressSanitizer keeps what was freed, so there is nothing to measure under it.
    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/proc/self/status")
                && ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil,
            "memory is measured on Linux, without ASan"),
        .timeLimit(.minutes(15)))
    func longRowsDoNotPileUp() throws {
        let run = try Run([])
        let row =
            "{\"zip\":\"\(try Decrypting.encrypted("77754"))\",\"x\":\"\(String(repeating: "x", count: 1 << 20))\"}\n"
        for _ in 0..<100 {
            try run.write(row)
            #expect(try run.lines().hasPrefix("{\"zip\":\"77754\""))
        }
        let status = try String(contentsOfFile: "/proc/\(run.process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let peak = try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        #expect(peak < 64 * 1024, "\(peak) KiB")
        try run.input.fileHandleForWriting.close()
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 0)
    }

    #if os(Linux)
    /// The memory holds keys and texts; the service has such a test of its own.
    @Test(.timeLimit(.minutes(15))) func aCrashWritesNoMemoryToAFile() throws {
        let run = try Run([])
        try run.write("{}\n")
        _ = try run.lines()
        let limits = try String(contentsOfFile: "/proc/\(run.process.processIdentifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
    #endif

    @Test(.timeLimit(.minutes(15))) func progressIsLoggedOnRequest() throws {
        let run = try Run(["--log-every", "1"])
        try run.write("{}\n")
        _ = try run.lines()
        Thread.sleep(forTimeInterval: 1.1)
        try run.write("{}\n")
        _ = try run.lines()
        try run.input.fileHandleForWriting.close()
        let lines = try run.report().split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("{\"progress\":{\"rows\":2,\"decrypted\":0,\"failed\":2,"))
    }

    @Test func repeatsAreAnsweredAlikeWithAndWithoutMemory() throws {
        let input = Array(try rows(200).utf8)
        let outcomes = try [["--memo", "0"], ["--memo", "1"], []].map {
            try Decrypting.batch(input, ["--field", "zip"] + $0).output
        }
        #expect(Set(outcomes).count == 1)
    }
}
