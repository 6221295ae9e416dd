import Foundation
import TestVectors
import Testing

@Suite struct VerifyBatchTests {
    @Test(arguments: ["0", "-1", "1000000", "\(Int.max)"])
    func `An impossible number of jobs is refused`(_ jobs: String) async throws {
        let verify = ["verify", "--batch", "--keys", Tool.publicKey, "--jobs=\(jobs)"]
        let decrypt = ["decrypt", "--batch", "--keys", Tool.privateKey, "--field", "zip", "--jobs=\(jobs)"]
        for arguments in [verify, decrypt] {
            let outcome = try await Tool.run(arguments)
            #expect(outcome.exitCode == 64)
            #expect(outcome.error.contains("--jobs takes a number from 1 to "))
        }
    }

    private func batch(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["verify", "--batch", "--keys", Tool.publicKey] + arguments, input: rows)
    }

    @Test func `Each row gets its verdict in order`() async throws {
        let good = try await Tool.issue()
        let late = try await Tool.issue("--fault", "expired")
        let rows = (0..<3000).map { number in
            "{\"id\":\(number),\"token\":\"\(number % 3 == 0 ? late : good)\",\"requestor\":\"REF30\",\"resource\":null}"
        }
        let outcome = try await batch(rows.joined(separator: "\n"))
        let objects = outcome.objects
        #expect(outcome.exitCode == 0)
        #expect(objects.compactMap { $0["id"] as? Int } == Array(0..<3000))
        #expect(objects.compactMap { $0["code"] as? String } == (0..<3000).map { $0 % 3 == 0 ? "expired" : "valid" })
        #expect(objects.allSatisfy { $0["claims"] != nil && $0["key"] != nil })
        #expect(outcome.report["rows"] as? Int == 3000)
        #expect(outcome.report["valid"] as? Int == 2000)
        #expect(outcome.report["refused"] as? Int == 1000)
        #expect(outcome.report["bad_rows"] as? Int == 0)
    }

    @Test func `The order does not depend on the jobs`() async throws {
        let token = try await Tool.issue()
        let rows = (0..<5000).map { "{\"id\":\($0),\"token\":\"\(token)\",\"requestor\":null,\"resource\":null}\n" }
            .joined()
        let one = try await batch(rows, "--jobs", "1", "--at", "2026-01-01T00:00:00Z")
        let many = try await batch(rows, "--jobs", "7", "--at", "2026-01-01T00:00:00Z")
        #expect(one.output == many.output)
        #expect(one.lines.count == 5000)
    }

    @Test func `Rows carry their own time`() async throws {
        let token = try await Tool.issue("--issued-at", "1700000000000")
        func code(_ members: String) async throws -> String? {
            let row = "{\"id\":1,\"token\":\"\(token)\",\"requestor\":null,\"resource\":null\(members)}"
            return try await batch(row).object["code"] as? String
        }
        #expect(try await code("") == "expired")
        #expect(try await code(",\"at\":1700000420000") == "valid")
        #expect(try await code(",\"at\":1700000420001") == "expired")
        #expect(try await code(",\"at\":1700000420001,\"leeway\":1") == "valid")
        #expect(try await code(",\"at\":null,\"leeway\":null") == "expired")
        #expect(try await code(",\"at\":1699999939999") == "not_yet_valid")
    }

    /// Milliseconds that only seconds can be: as milliseconds they would mean 1970, when no token is valid yet.
    @Test(arguments: ["1700000420", "9999999999", "999999999999", "0", "-1700000420000"])
    func `A time in seconds is a bad row that says so`(_ at: String) async throws {
        let row = "{\"id\":7,\"token\":\"x\",\"requestor\":null,\"resource\":null,\"at\":\(at)}"
        let verdict = try await batch(row).object
        #expect(verdict["code"] as? String == "bad_row" && verdict["id"] as? Int == 7)
        let detail = try #require(verdict["detail"] as? String)
        #expect(detail.hasPrefix("line 1: at is before ") && detail.contains("milliseconds"))
        let earliest = row.replacing("\"at\":\(at)", with: "\"at\":1000000000000")
        #expect(try await batch(earliest).object["code"] as? String == "malformed")
    }

    /// A token cannot be left unchecked, so the remark about `null` goes with the expectations only.
    @Test(arguments: [
        ("{\"requestor\":null,\"resource\":null}", "line 1: token is missing"),
        ("{\"token\":null,\"requestor\":null,\"resource\":null}", "line 1: token is missing"),
        ("{\"token\":\"x\",\"resource\":null}", "line 1: requestor is missing; null means unchecked"),
        ("{\"token\":\"x\",\"requestor\":null}", "line 1: resource is missing; null means unchecked"),
    ])
    func `A missing member is named`(_ row: String, _ detail: String) async throws {
        #expect(try await batch(row).object["detail"] as? String == detail)
    }

    /// An id goes out with the digits and escapes it came in with; only white space around its parts is dropped, and
    /// what could be taken for a line end is escaped.
    @Test(arguments: [
        ("1", "1"), ("1.0", "1.0"), ("12345678901234567890123", "12345678901234567890123"), ("1e400", "1e400"),
        ("\"a\\u00e9\\n \\\" b\"", "\"a\\u00e9\\n \\\" b\""), ("null", "null"), ("true", "true"),
        ("[1, {\"x y\": [] }]", "[1,{\"x y\":[]}]"), ("[1,\r{\"id\":42}\r\t]", "[1,{\"id\":42}]"),
        ("\"a\u{2028}b\u{85}é\"", "\"a\\u2028b\\u0085é\""),
    ])
    func `Any ID comes back as it went`(_ id: String, _ expected: String) async throws {
        let outcome = try await batch("{\"id\":\(id),\"token\":\"\",\"requestor\":null,\"resource\":null}\n")
        #expect(outcome.output.hasPrefix("{\"id\":\(expected),\"valid\":false,"))
    }

    @Test func `Bad rows say their line and place`() async throws {
        let good = "{\"id\":1,\"token\":\"\",\"requestor\":null,\"resource\":null}\n"
        let outcome = try await batch(String(repeating: good, count: 2500) + "{\"id\" 7}\n" + good)
        let detail = outcome.objects[2500]["detail"] as? String
        #expect(detail == "line 2501: not JSON at byte 6")
        #expect(outcome.objects.count == 2502)
    }

    /// Blank lines are the shortest rows; their verdicts must not pile up.
    @Test func `Blank lines get their verdicts`() async throws {
        let outcome = try await batch(String(repeating: "\n", count: 200_000))
        #expect(outcome.report["bad_rows"] as? Int == 200_000)
        #expect(outcome.bytes.count { $0 == UInt8(ascii: "\n") } == 200_000)
    }

    private func run(readingFrom file: URL? = nil) throws -> PipedProgram {
        try PipedProgram(
            Tool.executable, ["verify", "--batch", "--keys", Tool.publicKey], readingFrom: file)
    }

    /// A caller that waits for each verdict before it sends the next row must get it.
    @Test func `Verdicts come before the next row is waited for`() async throws {
        let run = try run()
        // A byte order mark in two pieces, too.
        try await run.write([0xEF])
        try await run.waitUntilAllIsRead()
        try await run.write([0xBB, 0xBF])
        for number in 0..<3 {
            try await run.write("{\"id\":\(number),\"token\":\"\",\"requestor\":null,\"resource\":null}\n")
            let verdict = try await run.lines()
            #expect(verdict.hasPrefix("{\"id\":\(number),") && verdict.contains("malformed"))
        }
        try run.closeInput()
        #expect(try await run.end() == 0)
    }

    static let badRows = [
        "", " ", "x", "[]", "null", "\"x\"", "{", "{}", "{\"token\":\"x\"}", "{\"token\":\"x\",\"requestor\":null}",
        "{\"token\":null,\"requestor\":null,\"resource\":null}", "{\"token\":1,\"requestor\":null,\"resource\":null}",
        "{\"token\":\"x\",\"requestor\":\"\",\"resource\":null}", "{\"token\":\"x\",\"requestor\":1,\"resource\":null}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":[]}",
        "{\"token\":\"x\",\"token\":\"y\",\"requestor\":null,\"resource\":null}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"at\":\"1\"}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"at\":1.5}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"at\":99999999999999999999}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"leeway\":-1}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"leeway\":600001}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null} x",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,}",
        "{\"token\":\"\\ud800\",\"requestor\":null,\"resource\":null}",
        "{\"token\":\"\\x\",\"requestor\":null,\"resource\":null}",
        "{'token':'x'}", "{\"token\":\"x\u{1}\",\"requestor\":null,\"resource\":null}",
        "{\"a\":" + String(repeating: "[", count: 100_000),
    ]

    @Test func `Bad rows are rows and nothing else`() async throws {
        let good = "{\"id\":\"good\",\"token\":\"\",\"requestor\":null,\"resource\":null}"
        let rows = Self.badRows.flatMap { [$0, good] }.joined(separator: "\n") + "\n"
        let outcome = try await batch(rows)
        #expect(outcome.exitCode == 0)
        let codes = outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes == Self.badRows.flatMap { _ in ["bad_row", "malformed"] })
        let bad = outcome.objects.filter { $0["code"] as? String == "bad_row" }
        #expect(bad.allSatisfy { $0["status"] as? String == "ERROR_UNKNOWN" && $0["valid"] as? Bool == false })
        #expect(outcome.report["bad_rows"] as? Int == Self.badRows.count)
        #expect(try await batch(rows, "--strict").exitCode == 2)
        #expect(try await batch(good, "--strict").exitCode == 0)
    }

    @Test func `A bad row keeps its ID`() async throws {
        let outcome = try await batch("{\"id\":\"row 7\",\"token\":1,\"requestor\":null,\"resource\":null}")
        #expect(outcome.object["id"] as? String == "row 7")
    }

    @Test func `Bytes that are not UTF-8 are a bad row`() async throws {
        var row = Array("{\"id\":\"".utf8)
        row += [0xC3, 0x28] + Array("\",\"token\":\"x\",\"requestor\":null,\"resource\":null}\n".utf8)
        let outcome = try await Tool.run(["verify", "--batch", "--keys", Tool.publicKey], input: row)
        #expect(outcome.object["code"] as? String == "bad_row")
    }

    @Test func `Line ends of all kinds are read`() async throws {
        let row = "{\"id\":1,\"token\":\"\",\"requestor\":null,\"resource\":null}"
        #expect(
            try await batch("\u{FEFF}\(row)\r\n\(row)\r\n\(row)").objects.compactMap { $0["code"] as? String }
                == ["malformed", "malformed", "malformed"])
        let nothing = try await batch("")
        #expect(nothing.output.isEmpty)
        #expect(nothing.exitCode == 0)
        #expect(nothing.report["rows"] as? Int == 0)
    }

    @Test(arguments: [1 << 20, 1 << 20 + 1, 5 << 20])
    func `Long rows are bad rows and the next one is read`(_ length: Int) async throws {
        let start = "{\"id\":1,\"token\":\""
        let end = "\",\"requestor\":null,\"resource\":null}"
        let filler = String(repeating: "A", count: length - start.utf8.count - end.utf8.count)
        let rows = "\(start)\(filler)\(end)\n\(start)\(end)\n"
        let codes = try await batch(rows).objects.compactMap { $0["code"] as? String }
        #expect(codes == [length > 1 << 20 ? "bad_row" : "too_large", "malformed"])
    }

    @Test func `Escapes in tokens and names are resolved`() async throws {
        let token = try await Tool.issue().replacingOccurrences(of: "<", with: "\\u003C").replacingOccurrences(
            of: "/", with: "\\/")
        let outcome = try await batch(
            "{\"id\":1,\"\\u0074oken\":\"\(token)\",\"requestor\":null,\"resource\":\"Demo\\u0043hannel\"}")
        #expect(outcome.object["code"] as? String == "valid")
    }

    @Test func `A reader that stops ends the run quietly`() async throws {
        let token = try await Tool.issue()
        let row = "{\"id\":1,\"token\":\"\(token)\",\"requestor\":null,\"resource\":null}\n"
        let folder = try TemporaryFolder()
        let input = folder.path("rows")
        try folder.write(String(repeating: row, count: 20_000), to: input)
        let run = try run(readingFrom: URL(filePath: input))
        _ = try await run.some()
        try run.closeOutput()
        #expect(try await run.end() == 74)
        let report = try await run.report()
        #expect(report.hasPrefix("{\"rows\":") && report.count { $0 == "\n" } == 1, "\(report)")
    }
}
