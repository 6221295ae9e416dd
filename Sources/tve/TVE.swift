#if CLI
    import ArgumentParser
    import OpenSSLBridge

    @main
    struct TVE: AsyncParsableCommand {
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
                file; 69 could not decide; 74 input or output failed; 78 bad key.

                Completions: tve --generate-completion-script bash (or zsh, fish).
                """,
            version: "0.1.0 (\(openSSLVersion))",
            subcommands: [
                Verify.self, Inspect.self, Issue.self, Decrypt.self, Sign.self, Keys.self, Lifetimes.self,
                Resource.self,
                Doctor.self, Speed.self, Demo.self,
            ]
        )

        static func main() async {
            // A reader that stops must not change what the exit code says of a token.
            StandardStreams.ignoreBrokenPipes()
            let arguments = Array(CommandLine.arguments.dropFirst())
            do {
                var command = try parseAsRoot(arguments)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch {
                exit(withError: CommandLineFailure(error, arguments).report())
            }
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
