#if CLI
import HostSystem
import ArgumentParser

/// What ends a run other than its own result: a wrong command line, a request for help, an exit code.
///
/// The argument parser would print what it did not understand, which may be a token or the text of a key, and would
/// exit with 0 after showing help, wherever the request came from. A token comes from a client: `tve verify "$TOKEN"`
/// with a token of `--help` must not look like a valid token.
struct CommandLineFailure {
    private let exitCode: ExitCode
    private let message: String
    private let arguments: [String]

    init(_ error: any Error, _ arguments: [String]) {
        if let exitCode = error as? ExitCode {
            // How most runs end, with all said; the parser would look for words in the help of all commands.
            self.exitCode = exitCode
            message = ""
        } else {
            exitCode = TVE.exitCode(for: error)
            message = TVE.fullMessage(for: error)
        }
        self.arguments = arguments
    }

    /// Prints what there is to say, and returns the exit code.
    func report() -> ExitCode {
        if message.isEmpty { return exitCode }
        if exitCode == .success {
            guard isPlainRequest else { return fail("a token or value was read as a request for help; \(advice)") }
            do {
                try Console.write("\(message)\n")
                return .success
            } catch {
                return TVE.exitCode(for: error)
            }
        }
        if arguments.contains(where: isShownBy) {
            return fail("an argument cannot be what stands there; \(advice)")
        }
        guard isJSONWanted else {
            StandardStreams.report(message)
            return exitCode
        }
        return fail(String(message.split(separator: "\n").first ?? "").droppingPrefix("Error: "))
    }

    private let advice = "give tokens on standard input (tve verify - …) and keys as file names; see tve --help"

    private func fail(_ detail: String) -> ExitCode {
        Console.fail("usage", file: nil, detail, isJSONWanted ? .json : .text, .usage)
    }

    /// Whether help, the version or completions are all that was asked for.
    private var isPlainRequest: Bool {
        if arguments.first == "help" { return true }
        let commands = arguments.prefix { !$0.hasPrefix("-") }
        let flags = arguments.dropFirst(commands.count)
        guard commands.count <= 2, let flag = flags.first else { return commands.count <= 2 }
        if ["-h", "--help", "--help-hidden", "--version"].contains(flag) { return flags.count == 1 }
        return commands.isEmpty
    }

    private var isJSONWanted: Bool {
        arguments.contains("--output=json")
            || zip(arguments, arguments.dropFirst()).contains { $0 == ("--output", "json") }
    }

    /// Whether an argument may be a token or a key, and the parser's message shows some of it.
    private func isShownBy(_ argument: String) -> Bool {
        let isPrivate =
            argument.utf8.count > 60 || argument.contains("<") || argument.contains(">")
            || argument.contains("-----BEGIN")
        return isPrivate && message.contains(argument.prefix(12))
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
#endif
