import Foundation
import TestVectors
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
    func `The order is kept`(_ arguments: [String]) async throws {
        let count = arguments.contains("--memo") ? 300 : 3000
        let outcome = try await Decrypting.batch(Array(try rows(count).utf8), ["--field", "zip"] + arguments)
        #expect(outcome.objects.compactMap { $0["id"] as? Int } == Array(0..<count))
        let texts = ["77754", "12345", "90210"]
        let expected = (0..<count).map { $0 % 7 == 3 ? nil : texts[$0 % 3] }
        #expect(outcome.objects.map { $0["zip"] as? String } == expected)
        #expect(outcome.exitCode == 0)
    }

    /// A run whose input and output the test holds.
    private func run(_ arguments: [String] = [], readingFrom file: URL? = nil) throws -> PipedProgram {
        // A shell lets what it starts in the background ignore the signal, which is handed down.
        signal(SIGINT, SIG_DFL)
        return try PipedProgram(
            Tool.executable, ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip"] + arguments,
            readingFrom: file)
    }

    /// A caller that waits for each answer before it sends the next row, or half of it, must get it.
    @Test(arguments: [[], ["--line-buffered"]])
    func `Answers come before more is waited for`(_ arguments: [String]) async throws {
        let run = try run(arguments)
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        for _ in 0..<3 {
            try await run.write(row + row.prefix(9))
            #expect(try await run.lines().hasPrefix("{\"zip\":\"77754\""))
            try await run.write(String(row.dropFirst(9)))
            #expect(try await run.lines().hasPrefix("{\"zip\":\"77754\""))
        }
        try run.closeInput()
        #expect(try await run.end() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `A signal ends the reading and no row`(_ signal: Int32) async throws {
        let run = try run()
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        try await run.write(String(repeating: row, count: 100) + "{\"half\":")
        let first = try await run.lines()
        run.program.send(signal)
        let answers = (first + (try await run.rest())).split(separator: "\n")
        #expect(try await run.end() == 128 + signal)
        // What was read is answered whole; how much was read is up to the machine.
        #expect((1...100).contains(answers.count))
        #expect(answers.allSatisfy { $0.hasSuffix("}}") })
        let report = try await run.report()
        #expect(report.contains("\"rows\":\(answers.count),") && report.contains("\"interrupted\":true"))
    }

    @Test func `A signal ends the wait for input`() async throws {
        let run = try run()
        try await run.write("{}\n")
        #expect(try await run.lines().contains("missing_field"))
        run.program.send(SIGTERM)
        #expect(try await run.end() == 143)
    }

    @Test func `A reader that stops ends the run quietly`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("rows")
        try folder.write(String(repeating: "{\"zip\":\"x\"}\n", count: 200_000), to: file)
        let run = try run(readingFrom: URL(filePath: file))
        _ = try await run.some()
        try run.closeOutput()
        #expect(try await run.end() == 74)
        let report = try await run.report()
        #expect(report.hasPrefix("{\"rows\":") && report.count { $0 == "\n" } == 1, "\(report)")
    }

    #if os(Linux)
    @Test func `A full disk ends the run with the counts of what was written`() async throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let arguments = ["decrypt", "--batch", "--keys", Decrypting.newKey, "--field", "zip"]
        let outcome = try await Tool.run(arguments, input: Array(try rows(100).utf8), output: full)
        #expect(outcome.exitCode == 74)
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.first?.contains("standard output") == true && lines.count == 2, "\(outcome.error)")
        #expect(outcome.report["rows"] as? Int == 0)
    }
    #endif

    // MARK: Going on where an earlier run ended

    @Test(arguments: [0, 1, 40, 100])
    func `A run goes on after the rows that were answered`(_ count: Int) async throws {
        let input = Array(try rows(100).utf8)
        let all = try await Decrypting.batch(input, ["--field", "zip"])
        let rest = try await Decrypting.batch(input, ["--field", "zip", "--skip-rows", "\(count)"])
        #expect(rest.exitCode == 0)
        #expect(rest.lines == Array(all.lines.dropFirst(count)))
        #expect(rest.report["rows"] as? Int == 100 - count)
        #expect(rest.report["skipped"] as? Int == (count == 0 ? nil : count))
    }

    /// A record may take several lines, and the header stands above the rows of the earlier run.
    @Test func `Records are passed over, and no header is written`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let input = Array("id,zip\n\"1\n2\",\(zip)\n3,AAAA\n4,\(zip)\n".utf8)
        let rest = try await Decrypting.batch(input, ["--input", "csv", "--field", "zip", "--skip-rows", "1"])
        #expect(rest.output == "3,AAAA,wrong_length\n4,77754,ok\n")
    }

    /// Rows within the value may be lost, whoever has answered the record.
    @Test func `An input that ends within quotation marks is no success of the run that goes on either`() async throws {
        let zip = try Decrypting.encrypted("77754")
        let input = Array("id,zip\n\"a,\(zip)\nb,\(zip)\n".utf8)
        for skipped in ["0", "1"] {
            let outcome = try await Decrypting.batch(
                input, ["--input", "csv", "--field", "zip", "--max-failures", "100%", "--skip-rows", skipped])
            #expect(outcome.exitCode == 2 && outcome.error.contains("[unclosed_quotation_mark]"))
        }
    }

    @Test func `Lines keep their numbers, and too long ones are passed over`() async throws {
        let rows =
            "{\"x\":\"\(String(repeating: "x", count: 1 << 24))\"}\n{}\nno row\n{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        let outcome = try await Decrypting.batch(Array(rows.utf8), ["--field", "zip", "--skip-rows", "2"])
        #expect(outcome.marks.first?["line"] as? Int == 3)
        #expect(outcome.codes == ["bad_row", "ok"])
    }

    @Test func `Fewer rows than were answered are another input`() async throws {
        let outcome = try await Decrypting.batch(
            Array(try rows(3).utf8), ["--field", "zip", "--skip-rows", "4", "--output", "json"])
        #expect(outcome.exitCode == 2)
        #expect(outcome.error.contains("too_few_rows") && outcome.error.contains("3 rows"))
        #expect(outcome.output == "")
        // A file for failed rows would be in the way of the next run.
        let folder = try TemporaryFolder()
        let arguments = ["--field", "zip", "--skip-rows", "4", "--errors-to", folder.path("failed")]
        #expect(try await Decrypting.batch(Array(try rows(3).utf8), arguments).exitCode == 2)
        #expect(!FileManager.default.fileExists(atPath: folder.path("failed")))
        let all = try await Decrypting.batch(
            Array(try rows(3).utf8), ["--field", "zip", "--skip-rows", "3", "--strict"])
        #expect(all.exitCode == 0 && all.report["skipped"] as? Int == 3)
    }

    @Test func `Rows that an earlier run has decrypted stay as they are on request`() async throws {
        let (new, old) = (try Decrypting.encrypted("77754"), try Decrypting.encrypted("12345", for: Decrypting.oldKey))
        let arguments = ["decrypt", "--batch", "--field", "zip", "--keys"]
        let first = try await Tool.run(
            arguments + [Decrypting.newKey], input: "{\"zip\":\"\(new)\"}\n{\"zip\":\"\(old)\"}\n")
        #expect(first.codes == ["ok", "undecryptable"])
        let second = try await Tool.run(arguments + [Decrypting.oldKey, "--resume"], input: first.bytes)
        #expect(second.codes == ["ok", "ok"] && second.exitCode == 0)
        #expect(second.lines.first == first.lines.first)
        #expect(second.report["resumed"] as? Int == 1 && second.report["decrypted"] as? Int == 2)
        // Without it, what is plain is no encrypted value.
        let again = try await Tool.run(arguments + [Decrypting.oldKey], input: first.bytes)
        #expect(again.codes == ["not_base64", "ok"])
    }

    /// Rows that say nothing of an encrypted value may be short.
    @Test func `A percentage is kept by short rows that succeed`() async throws {
        let bad = String(repeating: "{\"devices\":[{\"zip\":\"AAAA\"}]}\n", count: 10)
        let good = String(repeating: "{\"devices\":[]}\n", count: 1000)
        let outcome = try await Decrypting.batch(
            Array((bad + good).utf8), ["--field", "devices.*.zip", "--max-failures", "1%"])
        #expect(outcome.exitCode == 0 && outcome.report["rows"] as? Int == 1010)
        let rows = "zip\n" + String(repeating: "AAAA\n", count: 10) + String(repeating: "\n", count: 1000)
        let column = try await Decrypting.batch(
            Array(rows.utf8), ["--input", "csv", "--optional-field", "zip", "--max-failures", "1%"])
        #expect(column.exitCode == 0 && column.report["rows"] as? Int == 1010)
    }

    // MARK: Runs that came to nothing

    private func failing(_ count: Int) -> [UInt8] {
        Array(String(repeating: "{\"zip\":\"AAAA\"}\n", count: count).utf8)
    }

    @Test(arguments: [[], ["--max-failures", "9"], ["--on-error", "skip"], ["--line-buffered"]])
    func `A run without a good row is no success`(_ arguments: [String]) async throws {
        let outcome = try await Decrypting.batch(failing(3), ["--field", "zip", "--output", "json"] + arguments)
        #expect(outcome.exitCode == 2)
        #expect(outcome.error.contains("\"code\":\"all_rows_failed\"") && outcome.report["failed"] as? Int == 3)
    }

    @Test func `A run without a good row may be meant, and one without rows is good`() async throws {
        let meant = try await Decrypting.batch(failing(3), ["--field", "zip", "--max-failures", "100%"])
        #expect(meant.exitCode == 0)
        #expect(try await Decrypting.batch([], ["--field", "zip"]).exitCode == 0)
        let one = failing(3) + Array("{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n".utf8)
        #expect(try await Decrypting.batch(one, ["--field", "zip"]).exitCode == 0)
    }

    /// What comes from a file has a size, which tells how many rows may follow.
    @Test func `A percentage ends the run once it cannot be kept`() async throws {
        let folder = try TemporaryFolder()
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\"}\n"
        let file = folder.path("rows")
        let bad = String(repeating: "{\"zip\":\"AAAA\"}\n", count: 2000)
        try folder.write(row + bad + String(repeating: row, count: 2000), to: file)
        let run = try run(["--max-failures", "1%", "--output", "json"], readingFrom: URL(filePath: file))
        _ = try await run.rest()
        #expect(try await run.end() == 2)
        let report = try await run.report()
        #expect(report.contains("too_many_failures") && report.contains("nothing after them was answered"))
    }

    @Test func `A percentage ends the run after ten thousand rows without a good one`() async throws {
        // Nobody reads what failed.
        let run = try run(["--max-failures", "50%", "--on-error", "skip", "--output", "json"])
        try await run.write(String(decoding: failing(10_100), as: UTF8.self))
        // The input is still open.
        #expect(try await run.end() == 2)
        #expect(try await run.report().contains("all_rows_failed"))
    }

    /// Each row is answered before the next one is sent, so at no time is more than one of them there to be kept.
    ///
    /// With `TVE_DEEP`, what a hundred mebibytes of rows leave in memory is noted, which should be less than 64: allocator and
    /// machine have a part in it. The tests of `BatchPipeline` count the pieces that are there at once.
    @Test func `Long rows do not pile up`() async throws {
        let run = try run()
        let filler = String(repeating: "x", count: 1 << 20)
        let row = "{\"zip\":\"\(try Decrypting.encrypted("77754"))\",\"x\":\"\(filler)\"}\n"
        for _ in 0..<(DeepRun.isAsked ? 100 : 8) {
            try await run.write(row)
            #expect(try await run.lines().hasPrefix("{\"zip\":\"77754\""))
        }
        if DeepRun.isAsked {
            let status = try String(contentsOfFile: "/proc/\(run.program.identifier)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let peak = try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
            DeepRun.note("tve decrypt after 100 MiB of long rows", peak, "KiB at most in memory")
        }
        try run.closeInput()
        #expect(try await run.end() == 0)
    }

    #if os(Linux)
    /// The memory holds keys and texts; the service has such a test of its own.
    @Test func `A crash writes no memory to a file`() async throws {
        let run = try run()
        try await run.write("{}\n")
        _ = try await run.lines()
        let limits = try String(contentsOfFile: "/proc/\(run.program.identifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
    #endif

    /// Rows are sent until the log has two lines, however long that takes.
    @Test func `Progress is logged on request`() async throws {
        let run = try run(["--log-every", "1", "--max-failures", "100%"])
        var sent = 0
        var log = ""
        try await eventually("two lines of progress") {
            try await run.write("{}\n")
            sent += 1
            #expect(try await run.lines().contains("missing_field"))
            log += try run.reportSoFar()
            return log.count { $0 == "\n" } >= 2
        }
        try run.closeInput()
        log += try await run.report()
        let lines = log.split(separator: "\n").map(String.init)
        let progress = try lines.dropLast().map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return try #require(object["progress"] as? [String: Any])
        }
        let rows = progress.compactMap { $0["rows"] as? Int }
        #expect(rows.count >= 2 && rows.count == progress.count && Set(rows).count == rows.count)
        #expect(rows == rows.sorted() && rows.allSatisfy { (1...sent).contains($0) })
        #expect(progress.allSatisfy { $0["decrypted"] as? Int == 0 && $0["failed"] as? Int == $0["rows"] as? Int })
        #expect(lines.last?.hasPrefix("{\"rows\":\(sent),") == true, "\(lines.last ?? "")")
    }

    @Test func `Repeats are answered alike with and without memory`() async throws {
        let input = Array(try rows(200).utf8)
        var outcomes: Set<String> = []
        for memo in [["--memo", "0"], ["--memo", "1"], []] {
            outcomes.insert(try await Decrypting.batch(input, ["--field", "zip"] + memo).output)
        }
        #expect(outcomes.count == 1)
    }
}
