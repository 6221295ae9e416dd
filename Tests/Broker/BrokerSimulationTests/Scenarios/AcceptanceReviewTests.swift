#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import HTTPTypes
import TVETesting
import TestVectors
import TextCodecs
import Testing

/// What the operator's checklist says of recordings, and of what the simulator has seen itself.
@Suite struct AcceptanceReviewTests {
    struct Story: CustomTestStringConvertible, @unchecked Sendable {
        let name: String
        let expected: [String: String]
        let archive: Data

        var testDescription: String { name }

        /// The stories of the vectors; each is a JSON object on a line of its own.
        static let all: [Story] = {
            let file = Vectors.folder.appending(path: "acceptance/stories.json")
            let list = (try? JSONSerialization.jsonObject(with: Data(contentsOf: file))) as? [[String: Any]] ?? []
            return list.compactMap { story in
                guard let name = story["name"] as? String, let expected = story["expected"] as? [String: String],
                    let archive = story["archive"].flatMap({ try? JSONSerialization.data(withJSONObject: $0) })
                else { return nil }
                return Story(name: name, expected: expected, archive: archive)
            }
        }()

        static func named(_ name: String) throws -> Story { try #require(all.first { $0.name == name }) }
    }

    struct Report: Decodable {
        struct Item: Decodable {
            let id: String
            let verdict: String
            let requests: [Int]
            let detail: String
        }

        let accepted: Bool
        let calls: Int
        let leftOut: Int
        let damaged: Int
        let cutOff: Bool
        let withoutBody: Int
        let items: [Item]

        init(of report: AcceptanceReport) throws {
            self = try JSONDecoder().decode(Report.self, from: Data(report.object.finished))
        }

        func verdict(_ id: String) -> String? { items.first { $0.id == id }?.verdict }

        func detail(_ id: String) -> String? { items.first { $0.id == id }?.detail }
    }

    /// The report of some files, which are read in pieces of a size.
    static func report(
        of files: [Data],
        at hosts: [String] = [],
        inPiecesOf size: Int = 1 << 16,
        capacity: Int = 50_000
    ) throws -> AcceptanceReport {
        var review = try ArchiveReview(hosts: hosts, capacity: capacity)
        for file in files {
            let bytes = [UInt8](file)
            for start in stride(from: 0, to: bytes.count, by: size) {
                try review.read(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            try review.endFile()
        }
        return review.report
    }

    // MARK: Verdicts

    @Test func `There are the stories of the script`() { #expect(Story.all.count == 64) }

    @Test(arguments: Story.all)
    func `Each story has the verdicts that are expected`(story: Story) throws {
        let report = try Report(of: Self.report(of: [story.archive]))
        for (id, verdict) in story.expected {
            #expect(report.verdict(id) == verdict, "\(id): \(report.items.first { $0.id == id }?.detail ?? "")")
        }
        #expect(report.items.count == 26 && report.damaged == 0 && report.leftOut == 0 && !report.cutOff)
        for item in report.items where item.verdict == "fail" {
            #expect(!item.requests.isEmpty && !item.detail.isEmpty, "\(item.id)")
        }
    }

    @Test func `Pieces of any size are the same`() throws {
        let story = try Story.named("right_chrome")
        let whole = try Self.report(of: [story.archive]).text
        for size in [1, 2, 7, 1000] { #expect(try Self.report(of: [story.archive], inPiecesOf: size).text == whole) }
    }

    @Test func `Several files are one story, and what both have counts once`() throws {
        let story = try Story.named("right_proxyman")
        let once = try Report(of: Self.report(of: [story.archive]))
        let twice = try Report(of: Self.report(of: [story.archive, story.archive]))
        #expect(twice.calls == once.calls && twice.accepted)
        // So are several documents in one file.
        let inOne = try Report(of: Self.report(of: [story.archive + Data("\n".utf8) + story.archive]))
        #expect(inOne.calls == once.calls && inOne.accepted && !inOne.cutOff)
        #expect(try Report(of: Self.report(of: [story.archive + story.archive.dropLast()])).cutOff)
        let (first, second) = try halves(of: story)
        // The order of the files does not count.
        let joined = try Report(of: Self.report(of: [second, first]))
        #expect(joined.calls == once.calls && joined.accepted)
    }

    private func entries(of story: Story) throws -> [[String: Any]] {
        let file = try #require(JSONSerialization.jsonObject(with: story.archive) as? [String: Any])
        return try #require((file["log"] as? [String: Any])?["entries"] as? [[String: Any]])
    }

    private func archive(_ entries: [Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: ["log": ["version": "1.2", "entries": entries]])
    }

    private func halves(of story: Story) throws -> (Data, Data) {
        let entries = try entries(of: story)
        let middle = entries.count / 2
        return (try archive(Array(entries[..<middle])), try archive(Array(entries[middle...])))
    }

    // MARK: Answers without bodies

    /// A story whose answers have lost their bodies, as browsers save them, or have others, and perhaps another status.
    ///
    /// Only the answers of addresses with `part` in them are changed.
    private func archive(
        of story: Story, answering content: [String: String], at part: String = "/", status: Int? = nil
    ) throws -> Data {
        try archive(
            entries(of: story).map { entry in
                var (entry, response) = (entry, try #require(entry["response"] as? [String: Any]))
                guard let url = (entry["request"] as? [String: Any])?["url"] as? String, url.contains(part) else {
                    return entry
                }
                response["content"] = content
                if let status { response["status"] = status }
                entry["response"] = response
                return entry
            })
    }

    @Test(arguments: Story.all, [[:], ["text": "H4sIAAAAAAAAAwMAAAAAAAAAAAA=", "encoding": "base64"]])
    func `Nothing passes for want of the bodies of answers`(story: Story, content: [String: String]) throws {
        let whole = try Report(of: Self.report(of: [story.archive]))
        let report = try Self.report(of: [archive(of: story, answering: content)])
        let items = try Report(of: report).items
        for item in items where item.verdict == "pass" { #expect(whole.verdict(item.id) == "pass", "\(item.id)") }
        for id in ["H1", "H3", "E1", "E2", "A2", "A3"] {
            #expect(items.first { $0.id == id }?.verdict == whole.verdict(id), "\(id)")
        }
        let hidden = items.filter { $0.detail == "record the bodies of answers, too" }
        #expect(hidden.allSatisfy { $0.verdict == "cannot be seen" && $0.requests.isEmpty })
        guard !hidden.isEmpty else { return }
        #expect(report.text.contains("no body that can be read") && report.junit.contains("no body that can be read"))
        #expect(try Report(of: report).withoutBody > 0)
    }

    @Test(arguments: [
        ("token_for_each_call", "R3"), ("configuration_while_signed_in", "C1"),
        ("configuration_with_temporary_access", "C1"), ("logout_not_opened", "L1"),
    ])
    func `What only a body shows cannot be seen without it`(name: String, id: String) throws {
        let report = try Report(of: Self.report(of: [archive(of: Story.named(name), answering: [:])]))
        #expect(report.verdict(id) == "cannot be seen")
    }

    @Test(arguments: [
        ("registers_after_invalid_client", "/client/token", "R2"), ("right_charles", "/client/token", "C1"),
        ("right_charles", "/client/token", "H2"),
        ("configuration_after_the_action_authentication", "/decisions/", "C1"),
    ])
    func `An item neither passes nor fails without a body that it depends on`(
        name: String, path: String, id: String
    ) throws {
        let report = try Report(of: Self.report(of: [archive(of: Story.named(name), answering: [:], at: path)]))
        #expect(report.verdict(id) == "cannot be seen")
    }

    @Test(arguments: [("preauthorization_repeated", "P2"), ("authorization_repeated", "Z2")])
    func `A refusal whose body is lost is no denial`(name: String, id: String) throws {
        let body = "{\"status\":403,\"code\":\"authorization_denied_by_mvpd\",\"action\":\"none\"}"
        for (content, verdict) in [(["text": body], "fail"), ([:], "cannot be seen")] {
            let file = try archive(of: Story.named(name), answering: content, at: "/decisions/", status: 403)
            #expect(try Report(of: Self.report(of: [file])).verdict(id) == verdict)
        }
    }

    @Test func `A provider whose refusal cannot be read may have ended the profile`() throws {
        let story = try Story.named("configuration_after_the_action_authentication")
        let file = try archive(of: story, answering: [:], at: "/decisions/", status: 403)
        let report = try Report(of: Self.report(of: [file]))
        #expect(report.verdict("C1") == "cannot be seen" && report.withoutBody == 1)
    }

    @Test func `A pass says what of the item is hidden`() throws {
        let (good, hidden) = (try Story.named("back_by_an_own_scheme"), try Story.named("no_browser_recorded"))
        let later = String(decoding: hidden.archive, as: UTF8.self).replacing("2026-09-01T", with: "2026-09-02T")
        let report = try Self.report(of: [good.archive, Data(later.utf8)])
        let read = try Report(of: report)
        #expect(read.verdict("A1") == "pass" && read.detail("A1")?.hasPrefix("record the browser, too") == true)
        #expect(report.junit.contains("<system-out>record the browser, too"))
        #expect(try Report(of: Self.report(of: [good.archive])).detail("A1") == "")
    }

    @Test func `Two devices that register are not one because their answers have no bodies`() throws {
        let silent = try archive(of: Story.named("registers_at_each_start"), answering: [:])
        #expect(try Report(of: Self.report(of: [silent])).verdict("R2") == "fail")
        // If there is another device, one of the registrations may be its own.
        let other = try Story.named("identifier_changes")
        #expect(try Report(of: Self.report(of: [silent, other.archive])).verdict("R2") == "cannot be seen")
    }

    // MARK: Secrets

    @Test(arguments: Story.all)
    func `No report has anything of what was recorded but names`(story: Story) throws {
        let report = try Self.report(of: [story.archive])
        let texts = [report.text, report.junit, String(decoding: report.object.finished, as: UTF8.self)]
        for secret in ["eyJ", "invented", "device-1", "client-", "CODE", "Cable", "news", "fingerprint", "example.com"]
        {
            for text in texts { #expect(!text.contains(secret), "\(secret)") }
        }
    }

    @Test func `A token in the place of a name is not shown`() throws {
        let token = String(repeating: "eyJhbGciOiJSUzI1NiJ9", count: 4)
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var request = try #require(entry["request"] as? [String: Any])
        request["url"] = "https://sp.auth.adobe.com/api/v2/REF30/profiles?\(token)=1"
        entry["request"] = request
        let report = try Self.report(of: [archive([entry])])
        #expect(report.failed.contains("H3") && !report.text.contains("eyJ"))
    }

    @Test(arguments: [
        "8ER640M", "ABCDEFG", "0123456789abcdef0123456789abcdef", "a7c0b1e2", "5f3a4a54-9d0b-2a6f-2a1b",
        "a name with spaces", "qvXvEjRWeJASNFZpkBIxVg", "AP-device-XYZ", "X-SECRETCODE",
    ])
    func `A code or identifier in the place of a name is not shown`(name: String) throws {
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var request = try #require(entry["request"] as? [String: Any])
        request["postData"] = ["mimeType": "application/json", "text": "{\"\(name)\":1,\"debug2\":2,\"AP-Debug\":3}"]
        entry["request"] = request
        let report = try Self.report(of: [archive([entry])])
        #expect(!report.text.contains(name) && report.text.contains("debug2") && report.text.contains("AP-Debug"))
    }

    @Test(arguments: [("abcdefgh==", "pass"), ("abcdefgh=", "pass"), ("abcdefgh", "pass"), ("abcdefgh=1", "fail")])
    func `What has no value is no parameter`(query: String, verdict: String) throws {
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var request = try #require(entry["request"] as? [String: Any])
        request["url"] = "https://sp.auth.adobe.com/api/v2/REF30/profiles?\(query)"
        entry["request"] = request
        #expect(try Report(of: Self.report(of: [archive([entry])])).verdict("H3") == verdict)
    }

    // MARK: Dialects

    /// A story in which the fields of each request are others.
    private func archive(
        of story: Story, mappingFields change: ([String: String]) -> [String: String]?
    ) throws -> Data {
        try archive(
            entries(of: story).map { entry in
                var (entry, request) = (entry, try #require(entry["request"] as? [String: Any]))
                request["headers"] = try #require(request["headers"] as? [[String: String]]).compactMap(change)
                entry["request"] = request
                return entry
            })
    }

    @Test func `A field with nothing in it is missing`() throws {
        let file = try archive(of: Story.named("profiles_again")) { field in
            field["name"]?.lowercased() == "ap-device-identifier" ? field.merging(["value": " "]) { $1 } : field
        }
        let report = try Report(of: Self.report(of: [file]))
        #expect(report.verdict("H1") == "fail")
        #expect(report.detail("H1")?.hasPrefix("missing: AP-Device-Identifier") == true)
    }

    @Test func `The type of a form may be that of the recorded body alone`() throws {
        let file = try archive(of: Story.named("token_for_each_call")) { field in
            field["name"]?.lowercased() == "content-type" ? nil : field
        }
        #expect(try Report(of: Self.report(of: [file])).verdict("R3") == "fail")
    }

    @Test func `What a browser has in its cache it does not ask for`() throws {
        var entries = try entries(of: Story.named("configuration_twice"))
        let urls = entries.map { ($0["request"] as? [String: Any])?["url"] as? String ?? "" }
        let last = try #require(urls.lastIndex { $0.contains("configuration") })
        entries[last]["_fromCache"] = "disk"
        let report = try Report(of: Self.report(of: [archive(entries)]))
        #expect(report.verdict("C2") == "pass" && report.calls == entries.count - 1)
    }

    // MARK: Damaged files

    @Test func `A damaged entry is counted and passed over`() throws {
        let story = try Story.named("right_charles")
        let text = String(decoding: story.archive, as: UTF8.self)
        let damaged = text.replacing("\"startedDateTime\"", with: "\"started\"", maxReplacements: 1)
        let report = try Report(of: Self.report(of: [Data(damaged.utf8)]))
        #expect(report.damaged == 1 && !report.cutOff)
        #expect(report.calls == (try Report(of: Self.report(of: [story.archive])).calls) - 1)
    }

    @Test func `A body that is no Base64 makes an entry a damaged one`() throws {
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var response = try #require(entry["response"] as? [String: Any])
        response["content"] = ["text": "!!!!", "encoding": "base64"]
        entry["response"] = response
        let report = try Report(of: Self.report(of: [archive([entry])]))
        #expect(report.damaged == 1 && report.calls == 0)
    }

    @Test func `A list of fields that is too long is not read`() throws {
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var response = try #require(entry["response"] as? [String: Any])
        response["headers"] = Array(repeating: [String: String](), count: 100_000)
        entry["response"] = response
        let report = try Report(of: Self.report(of: [archive([entry])]))
        #expect(report.damaged == 1 && report.calls == 0)
    }

    @Test(arguments: [("https://sp.auth.adobe.com/api/v2/REF30/profiles?", 1), ("data:image/png;base64,", 0)])
    func `An address of more than 64 KiB makes an entry a damaged one, unless it is no web address`(
        start: String, damaged: Int
    ) throws {
        let whole = try #require(try entries(of: Story.named("profiles_again")).last)
        func report(_ length: Int) throws -> AcceptanceReport {
            var (entry, request) = (whole, try #require(whole["request"] as? [String: Any]))
            request["url"] = start + String(repeating: "a", count: length - start.utf8.count)
            entry["request"] = request
            return try Self.report(of: [archive([entry])])
        }
        #expect(try Report(of: report(1 << 16)).damaged == 0)
        let tooLong = try report(1 << 16 + 1)
        #expect(try Report(of: tooLong).damaged == damaged && Report(of: tooLong).calls == 0)
        let first = damaged == 0 ? "0 calls\n" : "0 calls; 1 entry was passed over: damaged, or longer than 16 MiB\n"
        #expect(tooLong.text.hasPrefix(first))
    }

    @Test func `One is said in the singular, and a skipped item without a reason has no colon`() throws {
        let entry = try #require(try entries(of: Story.named("unknown_field")).last)
        let report = try Self.report(of: [archive([entry])])
        #expect(report.text.hasPrefix("1 call\n") && report.failed.count == 1)
        #expect(report.text.hasSuffix("\n1 mandatory item fails; 0 recommended items fail\n"))
        #expect(report.text.contains("  call 1\n") && report.junit.contains("(call 1)"))
        #expect(report.junit.contains("<skipped message=\"not seen\"/>") && !report.junit.contains(": \"/>"))
    }

    @Test func `Calls beyond the most are counted, and what browsers opened is kept`() throws {
        let story = try Story.named("right_chrome")
        let calls = try Report(of: Self.report(of: [story.archive])).calls
        #expect(try Report(of: Self.report(of: [story.archive], capacity: calls - 1)).leftOut == 1)
        // What was there before needs no room.
        let twice = [story.archive, story.archive]
        #expect(try Report(of: Self.report(of: twice, capacity: calls)).leftOut == 0)
        // Other hosts have more entries than the API, and the address of the logout comes after them.
        let all = try entries(of: story)
        var other = try #require(all.last)
        var request = try #require(other["request"] as? [String: Any])
        request["url"] = "https://images.example/1.png"
        other["request"] = request
        let mixed = Array(repeating: other, count: 20 * calls) + all
        let report = try Report(of: Self.report(of: [archive(mixed)], capacity: calls))
        #expect(report.leftOut == 0 && report.verdict("L1") == "pass")
    }

    @Test func `Calls whose lists are longer than there is room for are left out`() throws {
        var entry = try #require(try entries(of: Story.named("profiles_again")).last)
        var request = try #require(entry["request"] as? [String: Any])
        request["method"] = "POST"
        request["url"] = "https://sp.auth.adobe.com/api/v2/REF30/decisions/preauthorize/Cable"
        request["postData"] = ["text": "{\"resources\":[\((1...11).map { "\"\($0)\"" }.joined(separator: ","))]}"]
        entry["request"] = request
        let file = try archive([entry])
        for (capacity, calls) in [(1, 0), (2, 1)] {
            let report = try Report(of: Self.report(of: [file], capacity: capacity))
            #expect(report.calls == calls && report.leftOut == 1 - calls)
        }
    }

    @Test(arguments: ["{]", "{\"a\":}", "{}}", "null", "[]", "7"])
    func `Anything may stand among the entries`(junk: String) throws {
        let entry = try #require(try entries(of: Story.named("profiles_again")).last)
        let good = String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
        let text = "{\"log\":{\"entries\":[\(good),\(junk),\(good)]}}"
        #expect(try Report(of: Self.report(of: [Data(text.utf8)])).calls >= 1)
    }

    @Test func `An entry that lacks a bracket takes no other along but the next one`() throws {
        let story = try Story.named("right_charles")
        let calls = try Report(of: Self.report(of: [story.archive])).calls
        let text = String(decoding: story.archive, as: UTF8.self)
        for bracket in ["\"cache\":{}", "\"cookies\":[]"] {
            let damaged = text.replacing(bracket, with: bracket.dropLast(), maxReplacements: 1)
            let report = try Report(of: Self.report(of: [Data(damaged.utf8)]))
            #expect(report.damaged >= 1 && report.calls >= calls - 2 && !report.cutOff)
        }
    }

    @Test func `A file that is cut off is judged up to there, and says so`() throws {
        let story = try Story.named("right_firefox")
        let whole = try Report(of: Self.report(of: [story.archive])).calls
        let report = try Self.report(of: [story.archive.prefix(story.archive.count * 2 / 3)])
        let read = try Report(of: report)
        #expect(read.cutOff && read.damaged == 0 && read.calls > 0 && read.calls < whole)
        #expect(report.text.contains("cut off") && report.junit.contains("<system-out>a recording is cut off"))
    }

    @Test(arguments: [
        ("", "empty"), ("[]", "list"), ("<html>", "HTML"), ("{}", "log.entries"), ("{\"log\":{}}", "log.entries"),
        ("{\"entries\":[]}", "log.entries"), ("\u{1F}\u{8B}", "binary"), ("PK\u{3}\u{4}", "ZIP"),
        ("123:flows", "mitmproxy"),
        ("hello", "text"),
    ])
    func `What is no recording is named`(text: String, word: String) throws {
        var bytes = Data(text.utf8)
        if text.hasPrefix("\u{1F}") { bytes = Data([0x80, 0x81]) }
        let error = #expect(throws: NotAnArchive.self) { try Self.report(of: [bytes]) }
        #expect(error?.what.contains(word) == true)
    }

    @Test func `Other hosts count for nothing unless they are named`() throws {
        let story = try Story.named("profiles_again")
        let text = String(decoding: story.archive, as: UTF8.self)
            .replacing("sp.auth.adobe.com", with: "broker.example.net")
        #expect(try Report(of: Self.report(of: [Data(text.utf8)])).calls == 0)
        for host in ["broker.example.net", "https://broker.example.net:443"] {
            #expect(try Report(of: Self.report(of: [Data(text.utf8)], at: [host])).verdict("A3") == "fail")
        }
    }

    // MARK: The simulator's own

    @Test func `The simulator reports what it has seen, and forgets it at a reset`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = try await device.profiles()
        simulation.time.advance(by: .seconds(10))
        _ = try await device.profiles()
        let report = try Report(of: simulation.simulator.acceptanceReport)
        #expect(report.calls == 4 && report.verdict("A3") == "fail" && !report.accepted)
        try simulation.simulator.reset()
        #expect(try Report(of: simulation.simulator.acceptanceReport).calls == 0)
    }

    @Test func `The site shows the report to programs and people`() async throws {
        let simulation = try Simulation()
        let site = try SimulatorSite(simulation.simulator, settings: SiteSettings(origin: "http://127.0.0.1:8090"))
        _ = try await simulation.device()
        func body(_ path: String) -> String {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8090", path: path)
            return String(decoding: site.answer(to: request, body: []).body, as: UTF8.self)
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(body("/sim/report").utf8))
        #expect(report.items.count == 26 && report.calls == 2)
        #expect(body("/").contains("<table id=\"acceptance\">"))
    }

    @Test func `The simulator keeps the last calls, and counts the others`() async throws {
        let simulation = try Simulation { $0.rememberedCalls = 100 }
        let device = try await simulation.device()
        for _ in 0..<100 { _ = await device.get("/api/v2/REF30/nothing") }
        let report = try Report(of: simulation.simulator.acceptanceReport)
        #expect(report.leftOut == 25 && report.calls == 77)
        #expect(simulation.simulator.acceptanceReport.text.contains("25 exchanges were left out"))
    }

    // MARK: The tool

    @Test func `tve broker review ends with what it found`() async throws {
        let tool = try await BrokerTool()
        for name in ["right_chrome", "polls_each_second"] {
            try Story.named(name).archive.write(to: tool.folder.appending(path: "\(name).har"))
        }
        try tool.write("{\"log\":{\"entries\":[]}}", to: "empty.har")
        func review(_ arguments: String...) async throws -> BrokerTool.Outcome {
            let files = arguments.map { $0.hasPrefix("-") ? $0 : tool.folder.appending(path: $0).path }
            return try await tool.run(["broker", "review"] + files)
        }
        let good = try await review("right_chrome.har", "--output=json")
        #expect(good.exitCode == 0 && (good.object["items"] as? [Any])?.count == 26)
        let junit = tool.folder.appending(path: "out.xml")
        let bad = try await review("polls_each_second.har", "--junit=\(junit.path)")
        #expect(bad.exitCode == 1 && bad.output.contains("fail            A2 must"))
        #expect(try String(contentsOf: junit, encoding: .utf8).contains("failures=\"1\""))
        let listed = try await review("polls_each_second.har", "--requests")
        #expect(listed.exitCode == 0 && listed.output.contains("profile_by_code"))
        #expect(try await review("empty.har").exitCode == 65)
        #expect(try await review("statement.jwt").exitCode == 65)
        #expect(try await review("nowhere.har").exitCode == 66)
        #expect(try await tool.run(["broker", "review"]).exitCode == 64)
    }
}
#endif
