import Foundation
import Testing

/// What the help of all commands has in common.
@Suite struct HelpTextTests {
    /// A command of the tree, with its options.
    private struct Command: Decodable, Sendable {
        let commandName: String
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?

        var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    private struct Argument: Decodable, Sendable {
        struct Name: Decodable, Sendable {
            let name: String
        }

        let kind: String
        let preferredName: Name?
        let valueName: String?
        let abstract: String?
    }

    private struct Tree: Decodable {
        let command: Command
    }

    /// Writing the tree takes the tool a second, so all tests read one.
    private static let tree = Task {
        let outcome = try await Tool.run(["--experimental-dump-help"])
        return try JSONDecoder().decode(Tree.self, from: Data(outcome.bytes)).command.all
    }

    private let commands: [Command]

    init() async throws { commands = try await Self.tree.value }

    private func options(named name: String? = nil, value: String? = nil) -> [Argument] {
        commands.flatMap { $0.arguments ?? [] }.filter {
            $0.kind == "option" && (name == nil || $0.preferredName?.name == name)
                && (value == nil || $0.valueName == value)
        }
    }

    @Test(arguments: [
        ("at", ["time", "origin", "host"]), ("bits", ["n", "bits"]), ("ca", ["file"]), ("certificate", ["file"]),
        ("ceiling", ["seconds"]), ("config", ["file"]), ("expires", ["time"]), ("issued-at", ["time"]),
        ("jobs", ["n"]), ("key", ["file", "path"]), ("keys", ["path", "file"]), ("leeway", ["seconds"]),
        ("lifetime", ["seconds"]), ("margin", ["seconds"]), ("out", ["file"]), ("output", ["form"]),
        ("password-fd", ["n"]), ("password-file", ["file"]), ("set", ["NAME=VALUE"]), ("state", ["file", "folder"]),
        ("time", ["time"]), ("tolerance", ["seconds"]), ("ttl", ["seconds"]),
    ])
    func `Values have names that say what to give`(_ name: String, _ values: [String]) {
        let found = options(named: name)
        #expect(!found.isEmpty || ["ca", "config"].contains(name))
        for option in found {
            #expect(values.contains(option.valueName ?? ""), "--\(name) <\(option.valueName ?? "")>")
        }
    }

    @Test func `Numbers have their ranges`() {
        let numbers = options(value: "n") + options(value: "seconds") + options(value: "ms")
        #expect(numbers.count > 20)
        for option in numbers {
            let help = option.abstract ?? ""
            #expect(
                help.contains { $0.isNumber } || help.contains("any number"),
                "--\(option.preferredName?.name ?? ""): \(help)")
        }
        for option in options(value: "time") {
            #expect(option.abstract?.contains("RFC 3339 or epoch milliseconds") == true)
        }
    }

    /// `--out` is a new file and `--output` a form, in every command; `--strict` is the same in all batches.
    @Test func `Options have one meaning`() {
        #expect(options(named: "output").count > 20)
        for option in options(named: "output") { #expect(option.abstract?.contains("text or json") == true) }
        for option in options(named: "out") { #expect(option.abstract?.contains("new file") == true) }
        let strict = commands.flatMap { $0.arguments ?? [] }.filter { $0.preferredName?.name == "strict" }
        #expect(strict.count == 2 && Set(strict.map(\.abstract)).count == 1)
    }

    /// 18 is of `tve ttl record` alone: a token that ends soon is valid.
    @Test func `The list of all exit codes says what 18 is`() {
        #expect(commands.first?.discussion?.contains("; 18 not taken by the ledger;") == true)
    }

    /// Examples are pasted: in a terminal of 80 columns the parser must not break their lines.
    @Test func `Examples of all commands fit a terminal`() {
        var count = 0
        for command in commands {
            for line in (command.discussion ?? "").split(separator: "\n") where line.hasPrefix("  ") {
                count += 1
                #expect(line.count < 80, "\(command.commandName): \(line)")
            }
        }
        #expect(count > 50)
    }

    /// A shell makes the file before the command runs, so one that fails leaves an empty one.
    @Test func `Examples that make key files use out`() {
        let lines = commands.compactMap(\.discussion).flatMap { $0.split(separator: "\n") }
        #expect(lines.contains { $0.contains("tve keys convert") })
        #expect(!lines.contains { $0.contains("tve keys ") && $0.contains(" > ") })
    }
}
