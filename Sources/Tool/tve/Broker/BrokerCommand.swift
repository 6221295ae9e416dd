#if CLI
import ArgumentParser
import HostSystem
import TextCodecs
#if Client
import DeviceRecords
import EntitlementFlows
import OpenSSLBridge
#endif

struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Talk to the broker: sign in, authorize, look at metadata, check the set-up.",
        discussion: """
            Every command but review needs the broker's origin, the requestor and the application's software statement:
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
            BrokerResetTemporary.self, BrokerRegister.self, BrokerForget.self, BrokerReview.self,
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

/// Which broker is called, as which application and device, and where that is kept.
struct BrokerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The broker's origin, as https://HOST[:PORT] (default: the variable TVE_BROKER).", valueName: "origin"))
    var at: String?

    @Option(name: .long, help: ArgumentHelp("The requestor (the broker's serviceProvider).", valueName: "id"))
    var requestor: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with the application's software statement.", valueName: "file"),
        completion: .file())
    var statement: String?

    @Option(
        name: .long, help: ArgumentHelp("A PEM file with the authorities of a test server.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The file that keeps credentials and tokens, sealed with the key in FILE.keys (default: tve/broker.sqlite \
            under XDG_STATE_HOME or ~/.local/state).
            """, valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with what the device says of itself, the JSON of X-Device-Info (default: this machine's).",
            valueName: "file"),
        completion: .file())
    var deviceInfo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The IP address that the device has on the internet, which goes into X-Forwarded-For.", valueName: "address"
        ))
    var clientAddress: String?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    @Flag(name: .long, help: "Show each request and answer on standard error, with secrets masked.")
    var trace = false

    func validate() throws {
        let options = [
            ("at", at), ("requestor", requestor), ("statement", statement), ("ca", ca), ("state", state),
            ("device-info", deviceInfo), ("client-address", clientAddress),
        ]
        for (name, value) in options where value == "" {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
    }

    #if Client
    /// What ends the command if this error does: one of the state file names it.
    func ending(with error: any Error) -> any Error {
        switch error {
        case EntitlementFlowError.store(let error): ending(with: error)
        case is DeviceRecordsError: CommandFailure(any: error, option: "--state", file: state) ?? error
        default: error
        }
    }
    #endif

    /// The text of the broker's origin, and what it was given with; throws `ValidationError` if none was given.
    func origin() throws -> (text: String, source: String) {
        if let at { return (at, "--at") }
        guard let origin = environmentValue("TVE_BROKER"), !origin.isEmpty else {
            throw ValidationError("Give --at URL, or set TVE_BROKER.")
        }
        return (origin, "TVE_BROKER")
    }

    /// The path of the state file.
    ///
    /// Throws `ValidationError` if none was given, and the environment does not say where state belongs.
    func statePath() throws -> String {
        if let state { return state }
        if let folder = environmentValue("XDG_STATE_HOME"), folder.hasPrefix("/") {
            return "\(folder)/tve/broker.sqlite"
        }
        guard let home = environmentValue("HOME"), home.hasPrefix("/") else {
            throw ValidationError("Give --state FILE, since neither XDG_STATE_HOME nor HOME is set.")
        }
        return "\(home)/.local/state/tve/broker.sqlite"
    }
}
#endif
