import Foundation
import MediaTokens
import TVETesting
import TestVectors
import Testing

/// The command line itself may be hostile, or show a secret by mistake.
@Suite struct CommandLineTests {
    /// A token comes from a client: one that reads like a request for help must not end with 0.
    @Test(arguments: [
        "--help", "-h", "-hx", "--version", "--help-hidden", "--experimental-dump-help",
        "--generate-completion-script=bash", "--generate-completion-script", "help", "--", "-", "--output=json",
        "--allow-sha1", "--any-requestor", "--batch", "--at=2020-01-01T00:00:00Z", "-0800</issueTime><x>h</x>",
    ])
    func `A token that reads like an option is not valid`(_ token: String) async throws {
        let outcome = try await Tool.run([
            "verify", token, "--keys", Tool.publicKey, "--requestor", "REF30", "--resource", "DemoChannel",
        ])
        #expect(outcome.exitCode != 0)
        let inspected = try await Tool.run(["inspect", token, "--output", "text"])
        #expect(inspected.exitCode != 0)
    }

    /// The parser would take it for an option, and say that the value is missing.
    @Test(arguments: [
        (["decrypt", "--batch", "--keys", "k", "--field", "zip", "--skip-rows", "-1"], "takes a number of rows, 0 or"),
        (["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--leeway", "-1"], "a leeway of -1000"),
        (["verify", "x", "--keys", "k", "--any-requestor", "--any-resource", "--at", "-1"], "Give RFC 3339"),
        (["speed", "verify", "--seconds", "-0.5"], "--seconds takes a number above 0"),
        (["verify", "x", "--keys", "k", "--any-requestor", "-1"], "does not take any value"),
    ])
    func `A number below 0 is refused by what it was given to`(_ arguments: [String], _ reason: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.error.contains(reason), "\(outcome.error)")
    }

    @Test func `A number below 0 is a value where any number is one, and a token after two hyphens`() async throws {
        let issued = ["issue", "media-token", "--key", Tool.privateKey, "--requestor", "A", "--resource", "B"]
        #expect(try await Tool.run(issued + ["--ttl", "-5"]).exitCode == 0)
        #expect(try await Tool.run(["inspect", "--", "-1"]).exitCode == 10)
    }

    @Test(
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full"), "there is no /dev/full"),
        arguments: [
            ["doctor"], ["inspect", "x"], ["keys", "inspect", Tool.publicKey],
            ["sign", "requestor-id", "REF30", "--key", Tool.privateKey],
        ])
    func `Output that cannot be written is reported in the form asked for`(_ arguments: [String]) async throws {
        let report = try await Tool.run(
            ["-c", "\"$0\" \"$@\" > /dev/full", Tool.executable.path] + arguments + ["--output", "json"],
            executable: URL(filePath: "/bin/bash")
        ).report
        #expect((report["error"] as? [String: Any])?["code"] as? String == "io")
    }

    @Test func `A token that the shell split is not valid`() async throws {
        let words = try await Tool.issue("--issued-at", "2026-01-01T00:00:00Z").split(separator: " ").map(String.init)
        #expect(words.count == 3)
        let rest = ["--keys", Tool.publicKey, "--requestor", "REF30", "--resource", "DemoChannel"]
        let outcome = try await Tool.run(["verify"] + words + rest)
        #expect(outcome.exitCode == 64)
        #expect(!outcome.error.contains("issueTime") && !outcome.output.contains("issueTime"))
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["help", "--help"], ["help", "verify"], ["verify", "--help"], ["--version"],
        ["sign", "--help"], ["sign", "requestor-id", "--help"], ["help", "sign"], ["help", "sign", "check"], ["rows"],
        ["help", "rows"], ["--generate-completion-script", "bash"], ["--generate-completion-script=fish"],
    ])
    func `Plain requests are answered`(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.exitCode == 0)
        #expect(!outcome.output.isEmpty)
        #expect(outcome.error.isEmpty)
    }

    /// Nothing was done, so a caller must not see success.
    @Test(arguments: ["", "issue", "keys", "resource", "sign", "speed", "ttl", "--", "keys --"])
    func `A command without its subcommand is a usage error`(_ command: String) async throws {
        let outcome = try await Tool.run(command.split(separator: " ").map(String.init))
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains("needs a subcommand") && outcome.error.contains("SUBCOMMANDS:"))
    }

    @Test(arguments: [
        ["help", "typo"], ["help", ""], ["help", "keys", "typo"], ["help", "verify", "x"], ["typo", "--help"],
        ["keys", "typo", "--help"], ["keys", "help", "inspect"], ["keys", "help", "typo"], ["verify", "x", "--help"],
        ["--version", "extra"], ["--version", "--help"], ["--output", "json", "--help"], ["--help=json"], ["-hx"],
        ["--generate-completion-script", "typo"], ["--generate-completion-script", "bash", "extra"],
        ["--experimental-dump-help", "x"], ["help", "--", "verify"],
    ])
    func `A request for help with something else is a usage error`(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.error.isEmpty)
    }

    @Test(arguments: [
        (["verfy", "-"], "unknown command: verfy; did you mean verify?"),
        (["keys", "generat"], "did you mean generate?; tve keys has inspect, match, "),
        (["help", "devices", "seal"], "unknown command: seal; tve devices has keys, list, show, erase, reseal ["),
        (["help", "devices", "rseal"], "unknown command: rseal; did you mean reseal?; tve devices has keys"),
        (["help", "frobnicate"], "unknown command: frobnicate; tve has verify, inspect, "),
        (["help", "help", "verify"], "unknown command: help; tve has verify, inspect, "),
        (["help", "verify", "--keys", "x"], "unexpected option: --keys; tve help takes the names of commands alone"),
        (["help", "verify", "--PHNpZ25hdHVyZUluZm8"], "unexpected option (not shown: "),
        (
            ["help", "verify", "frobnicate"],
            "unknown command (not shown: it may be a token or a key); tve verify has no commands of its own"
        ),
        (["help", "PHNpZ25hdHVyZUluZm8+PHNpZ25hdHVyZUluZm8+PGF1dGhUb2tlbj4="], "not shown"),
        (["verify", "-", "--key", "x"], "unknown option: --key; did you mean --keys?"),
        (["sign", "requestor-id", "REF30", "--keys", "x"], "unknown option: --keys; did you mean --key?"),
        (["decrypt", "-", "--keys", "x", "--atribute=zip"], "did you mean --attribute?"),
        (["verify", "-", "--frobnicate"], "unknown option: --frobnicate; tve verify --help"),
        (["PHNpZ25hdHVyZUluZm8+PHNpZ25hdHVyZUluZm8+PGF1dGhUb2tlbj4="], "not shown"),
        (["verify", "--PHNpZ25hdHVyZUluZm8"], "not shown"),
    ])
    func `A mistyped name is reported with what was meant`(_ arguments: [String], _ words: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.error.contains(words), "\(outcome.error)")
        #expect(!outcome.error.contains("PHNp"))
    }

    @Test func `The help of the help is that of the tool`() async throws {
        let outcome = try await Tool.run(["help", "help"])
        #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
        #expect(try await outcome.output == Tool.run(["help"]).output)
    }

    @Test func `The version names the traits`() async throws {
        let outcome = try await Tool.run(["version"])
        #expect(outcome.exitCode == 0 && outcome.output.contains("OpenSSL"))
        var traits = ["CLI"]
        #if Client
        traits.append("Client")
        #endif
        #if Redis
        traits.append("Redis")
        #endif
        #if Service
        traits.append("Service")
        #endif
        #expect(outcome.output.hasSuffix("; traits \(traits.joined(separator: ", ")))\n"), "\(outcome.output)")
        #expect(try await Tool.run(["--version"]).output == outcome.output)
    }

    /// A verifier that uses tokens up would refuse the second one.
    @Test func `Two tokens of one second are two tokens`() async throws {
        #expect(try await Tool.issue() != Tool.issue())
        let token = try await Tool.issue("--session-guid", "00112233445566778899aabbccddeeff")
        #expect(token.contains("<sessionGUID>00112233445566778899aabbccddeeff<"))
    }

    @Test func `A dash is not the name of a file`() async throws {
        let generate = try await Tool.run(["keys", "generate", "--out", "-", "--unencrypted"])
        #expect(generate.exitCode == 64 && generate.error.contains("- is not a file"))
        let converted = try await Tool.run(["keys", "convert", Tool.publicKey, "--out", "-"])
        #expect(converted.exitCode == 0 && converted.output.hasPrefix("-----BEGIN PUBLIC KEY-----"))
        let secret = try await Tool.run([
            "keys", "convert", Tool.privateKey, "--private", "--unencrypted", "--out", "-",
        ])
        #expect(secret.exitCode == 0 && secret.output.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(!FileManager.default.fileExists(atPath: "-"))
    }

    /// Without `/proc`, Swift sees no arguments at all, so a verification would look like a request for help.
    @Test(
        .enabled("hiding /proc needs root and unshare, and no sanitizer") { await CommandLineTests.canHideProc() },
        arguments: [
            ["verify", "x", "--keys", Tool.publicKey, "--any-requestor", "--any-resource"], ["--version"], [],
        ])
    func `Without the arguments nothing is done`(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(
            ["--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\"", Tool.executable.path]
                + arguments,
            executable: unshare)
        #expect(outcome.exitCode == 78)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains("[no_arguments]") && outcome.error.contains("is /proc mounted"))
    }

    /// LeakSanitizer cannot work without `/proc`; .ci/run sets the variable for it.
    private static func canHideProc() async -> Bool {
        guard ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil,
            FileManager.default.isExecutableFile(atPath: unshare.path)
        else { return false }
        let mount = ["--mount", "mount", "-t", "tmpfs", "none", "/proc"]
        return await (try? Tool.run(mount, executable: unshare).exitCode) == 0
    }

    /// The next file that is opened must not become standard input or output.
    @Test func `A closed stream is a failure`() async throws {
        let folder = try TemporaryFolder()
        let failed = folder.path("failed.ndjson")
        let decrypt = "decrypt --batch --keys \(Tool.privateKey) --field zip"
        let runs = [
            "verify --batch --keys \(Tool.publicKey) <&-", "inspect - <&-", "\(decrypt) <&-",
            "\(decrypt) --errors-to \(failed) >&-",
        ]
        for run in runs {
            let outcome = try await Tool.run(
                ["-c", "\"$0\" \(run)", Tool.executable.path], input: Array("{\"zip\":1}\n".utf8),
                executable: URL(filePath: "/bin/sh"))
            #expect(outcome.exitCode == 74)
            #expect(outcome.error.contains("Bad file descriptor [io]"))
        }
        #expect(try !folder.text(failed).contains("_tve"))
    }

    /// The text of a key or token in a wrong place stays out of every message.
    @Test func `Secrets in wrong places are not shown`() async throws {
        let key = try String(contentsOfFile: Tool.privateKey, encoding: .utf8)
        let token = try await Tool.issue("--base64-layers", "1")
        let plain = try await Tool.issue()
        let flags = ["--any-requestor", "--any-resource"]
        let runs: [[String]] = [
            ["issue", "media-token", "--key", key, "--requestor", "A", "--resource", "B"],
            ["issue", "media-token", key, "--requestor", "A", "--resource", "B"],
            ["verify", "x", "--keys", key] + flags, ["verify", "x", "--keys=\(key)"] + flags,
            ["verify", "--keys", token] + flags, ["verify", "--keys", plain] + flags, ["verify", token, token] + flags,
            ["verify", "x", "--keys", "k", "--at", token] + flags,
            ["verify", "x", "--keys", "k", "--output", token] + flags,
            ["verify", "-\(token)"] + flags, ["verify", "--\(plain)"] + flags, [token], [plain],
            ["inspect", token, token],
            ["sign", "requestor-id", "REF30", "--key", key], ["sign", "requestor-id", key],
            ["sign", "requestor-id", "REF30", "--key", Tool.privateKey, "--password-file", key],
            ["sign", "check", "REF30", "--signature", "x", "--keys", key],
            ["sign", "check", "REF30", "--signature", token, "--keys", Tool.publicKey],
            ["issue", "media-token", "--fault", token], ["issue", "media-token", "--ttl", token],
        ]
        for arguments in runs {
            for form in ["text", "json"] {
                let outcome = try await Tool.run(
                    arguments + (arguments.contains("--output") ? [] : ["--output", form]))
                let said = outcome.output + outcome.error
                #expect(outcome.exitCode != 0)
                #expect(!said.isEmpty)
                for secret in [key.dropFirst(40).prefix(20), token.prefix(20), plain.dropFirst(15).prefix(20)] {
                    #expect(!said.contains(secret), "\(arguments.first ?? "")")
                }
            }
        }
    }

    @Test(arguments: [["--output", "json"], ["--output=json"]])
    func `Usage errors are JSON on request`(_ form: [String]) async throws {
        let outcome = try await Tool.run(["verify", "x", "--keys", Tool.publicKey] + form)
        let error = outcome.report["error"] as? [String: Any] ?? [:]
        #expect(outcome.exitCode == 64)
        #expect(error["code"] as? String == "usage")
        #expect((error["detail"] as? String)?.contains("--any-requestor") == true)
    }

    /// Some callers look at exit codes only: a refusal must not pass because its text was not read.
    @Test(arguments: [nil, TestTokenFault.expired, .bodyByteChanged, .empty, .otherResource])
    func `A reader that stopped changes no verdict`(_ fault: TestTokenFault?) async throws {
        let token = try await Tool.issueBytes(fault.map { ["--fault", $0.rawValue] } ?? [])
        let command = "verify - --keys \(Tool.publicKey) --requestor REF30 --resource DemoChannel"
        for output in ["text", "json"] {
            let exitCode = try await runWithoutReader("\(command) --output \(output)", input: token)
            #expect(exitCode == fault?.expectedStatus.exitCode ?? 74)
        }
    }

    @Test func `Other results that are not read are failures`() async throws {
        let issue = "issue media-token --key \(Tool.privateKey) --requestor A --resource B"
        #expect(try await runWithoutReader(issue, input: []) == 74)
        let row = Array("{\"token\":\"\",\"requestor\":null,\"resource\":null}\n".utf8)
        #expect(try await runWithoutReader("verify --batch --keys \(Tool.publicKey)", input: row) == 74)
        #expect(try await runWithoutReader("inspect -", input: Array("x".utf8)) == 10)
    }

    /// Standard output is a pipe whose reading end is closed before the tool starts.
    private func runWithoutReader(_ command: String, input: [UInt8]) async throws -> Int32 {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path("input"))
        try Data(input).write(to: file)
        return try await PipedProgram(
            Tool.executable, command.split(separator: " ").map(String.init),
            readingFrom: file, hasReader: false
        ).end()
    }

    @Test func `A file name is not a token`() async throws {
        let outcome = try await Tool.run(
            ["verify", Tool.publicKey, "--keys", Tool.publicKey, "--any-requestor", "--any-resource"])
        #expect(outcome.exitCode == 64)
        #expect(outcome.error.contains("- < FILE"))
    }

    /// Examples are pasted: at 80 columns the parser must not break their lines.
    @Test(arguments: [
        "verify", "inspect", "issue media-token", "demo", "resource match", "sign requestor-id", "sign check",
        "sign service-token", "sign clientless", "",
    ])
    func `Examples fit a terminal`(_ command: String) async throws {
        let help = try await Tool.run(command.split(separator: " ").map(String.init) + ["--help"]).output
        let examples = help.split(separator: "\n").drop { !$0.contains("Example") && !$0.contains("Start here") }
        let lines = examples.filter { $0.hasPrefix("  ") }
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.count < 80 })
    }
}

private let unshare = URL(filePath: "/usr/bin/unshare")
