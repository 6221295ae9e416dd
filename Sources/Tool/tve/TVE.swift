#if CLI
import ArgumentParser
import HostSystem
import OpenSSLBridge

// The folders: Verify decides about tokens and shows what is in them; Decrypt reads user metadata; Batches answers
// rows, for both; Sign makes what a private key makes; Sessions is about playback sessions; Keys inspects, converts and
// generates key files; Lifetimes keeps track of what expires when; Broker talks to the broker; Devices looks after
// stores of devices; Serve starts the HTTP service, Simulate a simulated broker; Diagnosis holds doctor, speed and
// demo; Support is what several commands share.

/// The command-line tool: parses a command, runs it, and reports what ends it.
@main
struct TVE: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tve",
        abstract: "Tokens and metadata of TV Everywhere, for back ends.",
        discussion: """
            Start here:
              tve demo                    what it does, on throw-away keys
              tve inspect - < token.txt   what is in a token, without any key
              tve verify - --keys issuer.pem --requestor REF30 \\
                  --resource REF30 < token.txt
              tve doctor --keys issuer.pem    what would fail in production

            Results go to standard output, everything else to standard error. tve help rows describes the rows of \
            --batch.

            Exit codes: 0 done or valid; 10 to 16 why a token is refused; 17 unknown; 18 not taken by the ledger; 20 not \
            decrypted; 21 not signed in; 22 denied; 23 throttled; 24 must register anew; 2 too many failed rows; 64 \
            usage, or no command; 65 no recording; 66 no such file; 69 could not decide; 74 input or output failed; 78 \
            bad key, store or configuration.

            Completions: tve --generate-completion-script bash (or zsh, fish).
            """,
        version: Version.line,
        subcommands: [
            Verify.self, Inspect.self, Issue.self, Decrypt.self, Sign.self, SessionCommand.self, Keys.self,
            Lifetimes.self, Resource.self, BrokerCommand.self, Devices.self, Serve.self, Simulate.self, Doctor.self,
            Speed.self, Demo.self, RowsTopic.self, Version.self,
        ]
    )

    // Neither this nor any command is asynchronous: starting the threads for that takes longer than a verification. A
    // command that needs them uses `awaiting`.
    static func main() {
        // Every command may hold a key, a password, a token or rows.
        forbidCoreDumps()
        // If the reader of the output goes away, the exit code must still say whether the token is valid.
        StandardStreams.ignoreBrokenPipes()
        StandardStreams.reserveClosed()
        StopSignals.unblock()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var parsed: (any ParsableCommand)?
        do {
            // There is always the name of the program, unless the list could not be read. Without the list, the tool
            // cannot know what to do.
            if CommandLine.arguments.isEmpty { throw CommandFailure.unreadableArguments }
            var command = try command(joiningNumbers(arguments))
            parsed = command
            try command.run()
        } catch {
            if let failure = CommandFailure(any: error) {
                Console.report(failure, as: (parsed as? any OutputChoosing)?.output ?? .text)
                endProcess(failure.exitCode.rawValue)
            }
            // Everything is printed by then; the parser's own exit would look for a message once more.
            endProcess(ParserExit(error, arguments: arguments).report().rawValue)
        }
    }

    /// Joins each number below 0 to the option before it, as in `--leeway=-1`.
    ///
    /// The parser takes what begins with a hyphen for an option, and would say that the value is missing. So the option
    /// itself says which numbers it takes. No option has the name of a number.
    private static func joiningNumbers(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.reduce(into: []) { joined, argument in
            if argument.hasPrefix("-"), Double(argument) != nil, let last = joined.last, last.hasPrefix("--"),
                !last.contains("=")
            {
                joined[joined.count - 1] = "\(last)=\(argument)"
            } else {
                joined.append(argument)
            }
        } + arguments[options.endIndex...]
    }

    /// Parses the command that the first word names, without visiting all the others.
    ///
    /// If that fails (a mistake, a request for help or for completions), the whole tree is parsed, which makes the
    /// messages. Each command states its name: making one from the name of a type takes the parser as long as everything
    /// else together.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        // A command with subcommands would report other names than it does in the tree, and a request for help comes back
        // as a command of the parser's own.
        if let name = arguments.first,
            let named = configuration.subcommands.first(where: { $0.configuration.commandName == name }),
            named.configuration.subcommands.isEmpty,
            let command = try? named.parseAsRoot(Array(arguments.dropFirst())),
            type(of: command) == named
        {
            return command
        }
        return try parseAsRoot(arguments)
    }
}

/// The version of the tool, with what decides about its behaviour.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, that of OpenSSL, and the traits of this build.",
        discussion: """
            Example:
              tve version

            Exit codes: 0 done; 74 output failed.
            """
    )

    /// The line that is shown.
    static let line = "\(releaseVersion) (\(openSSLVersion); traits \(traits.joined(separator: ", ")))"

    private static var traits: [String] {
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
        return traits
    }

    func run() throws {
        try Console.write("\(Self.line)\n")
    }
}
#else
import HostSystem

/// The command-line tool in a build without its commands.
@main
enum TVE {
    static func main() {
        StandardStreams.report("tve was built without the trait CLI; build it with: swift build --traits CLI")
        // EX_USAGE: nothing was done, so a caller must not see success.
        endProcess(64)
    }
}
#endif
