#if CLI
import ArgumentParser
#if Client
import OpenSSLBridge
#endif

struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Talk to the broker: sign in, authorize, look at metadata, check the set-up.",
        discussion: """
            Every command needs the broker's origin, the requestor and the application's software statement:
              export TVE_BROKER=https://broker.example.org
              tve broker check --requestor REF30 --statement statement.jwt \\
                  --domain example.org --redirect https://example.org/done
              tve broker login --requestor REF30 --statement statement.jwt
              tve broker authorize REF30 --requestor REF30 --statement statement.jwt \\
                  --keys issuer.pem

            The first call registers this machine as one device. Its credentials are kept, sealed, in a file (--state), \
            with the sealing key in another file beside it; keep both. All logins end with the credentials.

            HTTPS_PROXY (or ALL_PROXY), as http://[USER:PASSWORD@]HOST:PORT, names a proxy on the way to the broker, and \
            NO_PROXY the hosts that are reached without it.

            Exit codes: 0 done; 21 not signed in; 22 denied; 23 throttled; 24 the application must register anew; 64 \
            usage, or tve was built without the trait Client; 66 no such file; 69 no answer from the broker or the state \
            file; 74 output failed; 78 bad configuration, or the broker refuses it.
            """,
        subcommands: [
            BrokerCheck.self, BrokerProviders.self, BrokerLogin.self, BrokerStatus.self, BrokerAuthorize.self,
            BrokerPreauthorize.self, BrokerMetadata.self, BrokerLogout.self, BrokerProfiles.self,
            BrokerResetTemporary.self, BrokerRegister.self, BrokerForget.self,
        ]
    )
}

/// What every command has that talks to the broker.
protocol BrokerSubcommand: ParsableCommand, OutputChoosing, Sendable {
    var options: BrokerOptions { get }
    /// The origin where resets are made, if the command makes them at another one than the broker's environment says.
    var management: String? { get }

    #if Client
    /// Does the work of the command.
    func run(_ conversation: BrokerConversation) async throws
    #endif
}

extension BrokerSubcommand {
    var output: OutputForm { options.output }
    var management: String? { nil }

    #if Client
    func run() throws {
        // Connections and the wait for a sign-in have threads of their own, which may be at work when the process ends.
        keepLibcryptoAtExit()
        try awaiting { [self] in
            do {
                let conversation = try await BrokerConversation(options, management: management)
                do {
                    try await run(conversation)
                } catch {
                    await conversation.end()
                    throw error
                }
                await conversation.end()
            } catch {
                throw options.ending(with: error)
            }
        }
    }
    #else
    func run() throws { throw CommandFailure.noClient }
    #endif
}
#endif
