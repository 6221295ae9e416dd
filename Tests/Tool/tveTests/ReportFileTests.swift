#if Client
import Foundation
import Testing

/// Where reports are written, and what they never take the place of.
@Suite struct ReportFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.recording, to: folder.path("app.har"))
    }

    private static let recording = """
        {"log": {"entries": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 5, \
        "request": {"method": "GET", "url": "http://127.0.0.1:8090/api/v2/REF30/configuration", "headers": []}, \
        "response": {"status": 200, "headers": [], "content": {"text": "{}"}}}]}}
        """

    /// Runs a line of a shell in the folder; `$0` is the tool.
    private func shell(_ line: String) async throws -> Tool.Outcome {
        try await Tool.run(
            ["-c", "cd '\(folder.url.path)' && \(line)", Tool.executable.path], executable: URL(filePath: "/bin/sh"))
    }

    private func kind(_ name: String) throws -> FileAttributeType? {
        try FileManager.default.attributesOfItem(atPath: folder.path(name))[.type] as? FileAttributeType
    }

    // MARK: What is written to, and not replaced

    @Test func `A named pipe is written to and stays a pipe`() async throws {
        let outcome = try await shell(
            "mkfifo pipe && ln -s pipe link && { cat pipe > got & } && "
                + "\"$0\" broker review --junit link app.har > said; wait")
        #expect(outcome.error.isEmpty)
        #expect(try folder.text(folder.path("got")).hasPrefix("<?xml"))
        let pipe = try await shell("test -p pipe && test -L link && echo both")
        #expect(pipe.output == "both\n")
    }

    /// Without `/dev/stdout`, which a fault of the tool would take from the machine; `FilesTests` has it.
    @Test(arguments: ["/dev/fd/1", "/proc/self/fd/1"])
    func `An open stream is written where it stands`(_ path: String) async throws {
        let outcome = try await shell("{ echo first; \"$0\" broker review --junit \(path) app.har; echo last; } > got")
        #expect(outcome.error.isEmpty)
        let text = try folder.text(folder.path("got"))
        #expect(text.hasPrefix("first\n<?xml") && text.contains("</testsuite"))
        #expect(text.contains(" A2 ") && text.hasSuffix("\nlast\n"))
        let other = try await shell("\"$0\" broker review --junit /dev/fd/3 app.har 3> third > said")
        #expect(other.error.isEmpty)
        #expect(try folder.text(folder.path("third")).hasPrefix("<?xml"))
    }

    @Test func `A stream that is not open cannot be written`() async throws {
        let outcome = try await shell("\"$0\" broker review --junit /dev/fd/9 app.har 9>&-")
        #expect(outcome.exitCode == 74)
        #expect(outcome.error.contains("--junit: /dev/fd/9: Bad file descriptor [io]"))
        #expect(outcome.output.isEmpty)
    }

    // MARK: What is refused

    @Test func `A report does not take the place of a recording`() async throws {
        let prepared = try await shell("ln app.har hard.har && ln -s app.har soft.har && cp app.har out.xml.new")
        #expect(prepared.exitCode == 0)
        let lines = [
            ("--junit app.har app.har", "app.har"), ("--junit ./app.har nowhere.har app.har", "app.har"),
            ("--junit hard.har app.har", "app.har"), ("--junit soft.har app.har", "app.har"),
            ("--junit app.har soft.har", "soft.har"), ("--junit app.har - < app.har", "standard input"),
            ("--junit /dev/fd/0 - < app.har", "standard input"), ("--junit out.xml out.xml.new", "out.xml.new"),
        ]
        for (line, input) in lines {
            let outcome = try await shell("\"$0\" broker review \(line)")
            #expect(outcome.exitCode == 64, "\(line): \(outcome.error)")
            #expect(outcome.error.contains("would take the place of \(input), which is read"), "\(outcome.error)")
            #expect(outcome.output.isEmpty)
        }
        for name in ["app.har", "hard.har", "soft.har", "out.xml.new"] {
            #expect(try folder.text(folder.path(name)) == Self.recording)
        }
        #expect(try kind("soft.har") == .typeSymbolicLink)
        // The same device twice is not the same file.
        let null = try await shell("\"$0\" broker review --junit /dev/null app.har - < /dev/null")
        #expect(null.exitCode == 65 && null.error.contains("no recording"), "\(null.error)")
    }

    @Test func `The dash is not a file`() async throws {
        let outcome = try await shell("\"$0\" broker review --junit - app.har")
        #expect(outcome.exitCode == 64 && outcome.error.contains("say --junit /dev/stdout"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("-")))
    }

    #if Service
    @Test func `A simulator's report does not take the place of what the simulator reads`() async throws {
        try folder.write("{}", to: folder.path("world.json"))
        for option in ["--world", "--certificate"] {
            let outcome = try await shell(
                "\"$0\" simulate --port 0 --state - --report ./world.json \(option) world.json")
            #expect(outcome.exitCode == 64, "\(outcome.error)")
            #expect(outcome.error.contains("would take the place of world.json, which is read"))
        }
        // In an empty folder, too: what the simulator keeps there is made later.
        for name in ["state.json", "media.key", "acceptance.json"] {
            let state = try await shell("\"$0\" simulate --port 0 --state run --report run/\(name)")
            #expect(state.exitCode == 64, "\(state.error)")
            #expect(state.error.contains("run is for the command's own files"), "\(state.error)")
        }
        #expect(try await shell("ls run").output == "")
        let dash = try await shell("\"$0\" simulate --port 0 --state - --report -")
        #expect(dash.exitCode == 64 && dash.error.contains("say --report /dev/stdout"))
        #expect(try folder.text(folder.path("world.json")) == "{}")
    }
    #endif

    /// Failed rows that are added to the input would be read, fail again, and never end.
    @Test func `Failed rows are not added to the rows`() async throws {
        try folder.write("{}\n", to: folder.path("rows"))
        let outcome = try await shell(
            "\"$0\" decrypt --batch --keys \(Tool.privateKey) --field zip --errors-to ./rows --force < rows")
        #expect(outcome.exitCode == 64 && outcome.error.contains("--errors-to: ./rows is standard input, too"))
        #expect(try folder.text(folder.path("rows")) == "{}\n")
    }

    // MARK: Files

    @Test func `A report has the mode that users expect, and a link to an older one is replaced`() async throws {
        try folder.write("older", to: folder.path("older.xml"))
        let outcome = try await shell(
            """
            ln -s older.xml link.xml; umask 022; for name in new.xml link.xml; do
            "$0" broker review --junit $name app.har > said; done; umask 077; "$0" broker review --junit own.xml app.har > said
            """)
        #expect(outcome.error.isEmpty)
        #expect(try folder.permissions(of: folder.path("new.xml")) == 0o644)
        #expect(try folder.permissions(of: folder.path("own.xml")) == 0o600)
        #expect(try kind("link.xml") == .typeRegular)
        #expect(try folder.text(folder.path("older.xml")) == "older")
    }
}
#endif
