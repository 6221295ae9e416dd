#if CLI
import ArgumentParser
import HostSystem
import TextCodecs

/// What ends a run other than a failure of its command: a wrong command line, a request for help, an exit code.
///
/// The argument parser would print what it did not understand, which may be a token or the text of a key, and would
/// exit with 0 after every request for help. But tokens come from clients: `tve verify "$TOKEN"` with a token that reads
/// `--help` must not look like a valid token. It would also exit with 0 if a command such as `tve keys` lacks its
/// subcommand, although nothing was done.
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

    /// Prints the help or the message, if there is one; returns the exit code of the run.
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
        if exitCode == .success { return try answer() }
        try refuseUnknownNames()
        if arguments.contains(where: isShownBy) {
            throw CommandFailure.usage("unexpected argument (not shown: it may be a token or a key); \(Self.advice)")
        }
        guard !isJSONWanted else {
            throw CommandFailure.usage(
                String(message.split(separator: "\n").first ?? "").droppingPrefix("Error: "))
        }
        StandardStreams.report(message)
    }

    /// Refuses names of commands and options that do not exist, and says what may have been meant.
    ///
    /// The parser would report a missing option first, and the user would look for the mistake in the wrong place.
    private func refuseUnknownNames() throws(CommandFailure) {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        let isHelpCommand = words.first == "help"
        let asked = isHelpCommand ? words.dropFirst() : words
        let (command, rest) = TVE.descend(asked)
        let path = (["tve"] + asked.dropLast(rest.count)).joined(separator: " ")
        if let word = rest.first, !command.configuration.subcommands.isEmpty {
            throw Self.unknown(word, in: command, at: path)
        }
        if isHelpCommand, let flag = arguments.dropFirst(words.count).first {
            throw .usage(
                "unexpected option\(Self.named(String(flag.prefix { $0 != "=" }), among: [])); tve help takes the names of "
                    + "commands alone")
        }
        let options = TVE.helpMessage(for: command)
            .split { !($0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
        let typed = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }
        guard let option = typed.first(where: { !options.contains($0) && $0.count > 2 }) else { return }
        throw .usage(
            "unknown option\(Self.named(option, among: options.filter { $0.hasPrefix("--") })); \(path) --help lists all"
        )
    }

    /// Refuses a word that is no command of the one before it, and says which ones there are.
    private static func unknown(
        _ word: String,
        in command: any ParsableCommand.Type,
        at path: String
    ) -> CommandFailure {
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        // After a command that has none, the word may be a token.
        if names.isEmpty { return .usage("unknown command\(notShown); \(path) has no commands of its own") }
        return .usage("unknown command\(named(word, among: names)); \(path) has \(names.joined(separator: ", "))")
    }

    /// Names a mistyped word, unless it may be a secret, and what is like it.
    private static func named(_ word: String, among names: [String]) -> String {
        guard word.utf8.count <= 30, word.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isASCIILetter }) else {
            return notShown
        }
        let meant = Suggestion.nearest(to: word, among: names).map { "; did you mean \($0)?" }
        return ": \(word)\(meant ?? "")"
    }

    private static let notShown = " (not shown: it may be a token or a key)"
    private static let advice = "give tokens on standard input (tve verify - …) and keys as file names; see tve --help"

    /// Prints help, the version or completions if they are all that was asked for.
    ///
    /// Throws `CommandFailure` or `ExitCode` otherwise.
    private func answer() throws {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        let flags = arguments.dropFirst(words.count)
        let isHelpCommand = words.first == "help"
        let asked = isHelpCommand ? words.dropFirst() : words
        // What helps with a command is not one of the commands that `descend` knows.
        if isHelpCommand, asked.elementsEqual(["help"]), flags.isEmpty {
            return try Console.write("\(TVE.helpMessage())\n")
        }
        let (command, rest) = TVE.descend(asked)
        let path = (["tve"] + asked.dropLast(rest.count)).joined(separator: " ")
        if let word = rest.first {
            // After a command that has none, a word was meant for the command itself.
            guard isHelpCommand || !command.configuration.subcommands.isEmpty else { throw Self.tokenAsHelp }
            throw Self.unknown(word, in: command, at: path)
        }
        if isRequest(flags, inHelpCommand: isHelpCommand, ofRoot: words.isEmpty) {
            return try Console.write("\(message)\n")
        }
        // Only a command with subcommands does nothing but show its help.
        guard !isHelpCommand, flags.isEmpty || flags == ["--"] else { throw Self.tokenAsHelp }
        StandardStreams.report("Error: \(path) needs a subcommand.\n\n\(message)")
        throw ExitCode.usage
    }

    private static let tokenAsHelp = CommandFailure.usage(
        "a token or value was read as a request for help; \(advice)")

    /// Whether the flags after the name of a command ask for help, the version or completions, and for nothing else.
    ///
    /// `flags` are the arguments from the first flag on. `inHelpCommand` says whether the command is `tve help`, which
    /// may have no flag; `ofRoot`, whether a command is missing, as in `tve --version`.
    private func isRequest(_ flags: ArraySlice<String>, inHelpCommand: Bool, ofRoot: Bool) -> Bool {
        guard let flag = flags.first else { return inHelpCommand }
        switch flag {
        case "-h", "--help", "--help-hidden", "--version": return flags.count == 1
        case "--experimental-dump-help": return ofRoot && flags.count == 1
        case "--generate-completion-script": return ofRoot && flags.count <= 2
        default: return ofRoot && flags.count == 1 && flag.hasPrefix("--generate-completion-script=")
        }
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

extension ParsableCommand {
    /// Follows the first words of a command line, those before the first flag, through the tree of commands.
    ///
    /// Returns the command that they name, and the words after its name.
    fileprivate static func descend(
        _ words: ArraySlice<String>
    ) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
        guard let name = words.first,
            let next = configuration.subcommands.first(where: { $0.configuration.commandName == name })
        else { return (Self.self, words) }
        return next.descend(words.dropFirst())
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
#endif
