#if CLI
import HostSystem
import ArgumentParser
import OpenSSLBridge

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

            Results go to standard output, everything else to standard error.

            Exit codes: 0 done or valid; 10 to 15 why a token is refused; 20 not decrypted; 64 usage; 66 no such \
            file; 69 could not decide; 74 input or output failed; 78 bad key or store.

            Completions: tve --generate-completion-script bash (or zsh, fish).
            """,
        version: "0.1.0 (\(openSSLVersion))",
        subcommands: [
            Verify.self, Inspect.self, Issue.self, Decrypt.self, Sign.self, Keys.self, Lifetimes.self,
            Resource.self,
            Serve.self, Doctor.self, Speed.self, Demo.self,
        ]
    )

    // Neither this nor any command is asynchronous: the threads that would bring take longer to start than a
    // verification. What needs them is awaited.
    static func main() {
        // A reader that stops must not change what the exit code says of a token.
        StandardStreams.ignoreBrokenPipes()
        StopSignals.unblock()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try command(arguments)
            try command.run()
        } catch {
            // All is said; the parser's own end would look for words once more.
            endProcess(CommandLineFailure(error, arguments).report().rawValue)
        }
    }

    /// Parses the command that the first word names, without a look at all others.
    ///
    /// Whatever it does not take (a mistake, a request for help or for completions) is left to the whole tree, which
    /// alone knows the words for it. Each command states its name, since the parser takes as long to make one from
    /// the name of a type as for all else.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        // A command that has commands of its own would answer to other words than in the tree, and a request for help
        // comes back as a command of the parser's.
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
#else
@main
enum TVE {
    static func main() {
        print("tve was built without the trait CLI; build it with: swift build --traits CLI")
    }
}
#endif
