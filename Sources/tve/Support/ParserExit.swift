#if CLI
import HostSystem
import ArgumentParser

/// What ends a run other than a failure of its command: a wrong command line, a request for help, an exit code.
///
/// The argument parser would print what it did not understand, which may be a token or the text of a key, and would
/// exit with 0 after every request for help. But tokens come from clients: `tve verify "$TOKEN"` with a token that reads
/// `--help` must not look like a valid token.
struct ParserExit {
    private let exitCode: ExitCode
    private let message: String
    private let arguments: [String]

    init(_ error: any Error, arguments: [String]) {
        if let exitCode = error as? ExitCode {
            // Most runs end so, and there is nothing to print; the parser would search the help of all commands.
            self.exitCode = exitCode
            message = ""
        } else {
            exitCode = TVE.exitCode(for: error)
            message = TVE.fullMessage(for: error)
        }
        self.arguments = arguments
    }

    /// Prints the help or the message, if there is one.
    ///
    /// - Returns: The exit code of the run.
    func report() -> ExitCode {
        do {
            try printMessage()
            return exitCode
        } catch let failure as CommandFailure {
            Console.report(failure, as: isJSONWanted ? .json : .text)
            return failure.exitCode
        } catch {
            return TVE.exitCode(for: error)
        }
    }

    private func printMessage() throws {
        if message.isEmpty { return }
        if exitCode == .success {
            guard isPlainRequest else {
                throw CommandFailure.usage("a token or value was read as a request for help; \(advice)")
            }
            return try Console.write("\(message)\n")
        }
        if arguments.contains(where: isShownBy) {
            throw CommandFailure.usage("unexpected argument (not shown: it may be a token or a key); \(advice)")
        }
        guard !isJSONWanted else {
            throw CommandFailure.usage(
                String(message.split(separator: "\n").first ?? "").droppingPrefix("Error: "))
        }
        StandardStreams.report(message)
    }

    private let advice = "give tokens on standard input (tve verify - …) and keys as file names; see tve --help"

    /// Whether help, the version or completions are all that was asked for.
    private var isPlainRequest: Bool {
        if arguments.first == "help" { return true }
        let commands = arguments.prefix { !$0.hasPrefix("-") }
        let flags = arguments.dropFirst(commands.count)
        guard commands.count <= 2, let flag = flags.first else { return commands.count <= 2 }
        if ["-h", "--help", "--help-hidden", "--version"].contains(flag) { return flags.count == 1 }
        return commands.isEmpty
    }

    /// Whether JSON was asked for, as far as a command line can tell that was not understood.
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
