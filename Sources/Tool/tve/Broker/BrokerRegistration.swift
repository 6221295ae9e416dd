#if CLI
import ArgumentParser
#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HostSystem
import TextCodecs
#endif

struct BrokerRegister: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register this machine with the broker, and keep the credentials.",
        discussion: """
            Example:
              tve broker register --requestor REF30 --statement statement.jwt

            Credentials that are kept already are used: registering anew would end all logins of this device. If the \
            broker refuses them (exit code 24), decide to give them up with tve broker forget.

            Exit codes: 0 registered; 23 throttled; 24 the broker refuses the credentials; 64 usage; 66 no such file; \
            69 no answer; 74 output failed; 78 the broker refuses the statement, or a file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let before = try await conversation.state.registrations()
        let credentials = try await conversation.caller.register()
        let isNew = !before.contains { $0.credentials == credentials }
        // Only a call proves that the broker accepts the credentials.
        _ = try await conversation.caller.configuration(requestor: conversation.requestor)
        let token = try await conversation.state.registrations().first { $0.credentials == credentials }?.token
        let application = conversation.caller.broker.application.statement.unverifiedClaims.subject
        let api = "\(conversation.caller.broker.environment.api)"
        let heading = isNew ? "registered\n" : "registered before; the broker still accepts the credentials\n"
        let lines = [
            ("broker", api), ("application", application ?? "unknown"),
            ("token until", token.map { "\($0.expires)" } ?? "unknown"), ("kept in", conversation.state.path),
        ]
        try Console.show(heading + aligned(lines.map { (name: $0.0, value: $0.1) }), in: output) { object in
            object.member("registered", isNew ? "now" : "before")
            object.member("broker", api)
            if let application { object.member("application", application) }
            if let token { object.member("accessTokenExpires", token.expires.milliseconds) }
            object.member("state", conversation.state.path)
        }
    }
    #endif
}

struct BrokerForget: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget this machine's registration, and everything else in the state file.",
        discussion: """
            Example:
              tve broker forget --yes

            All logins of this device end: the broker binds them to the credentials, which cannot be had again. The \
            next call registers anew, as a new device. Nothing is sent.

            Exit codes: 0 forgotten, or there was nothing; 64 usage; 66 the sealing keys are missing; 69 the file does \
            not answer; 74 output failed; 78 the file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions
    var output: OutputForm { options.output }

    @Flag(name: .long, help: "Confirm that all logins of this device end.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("All logins of this device end; confirm it with --yes.") }
    }

    #if Client
    func run() throws {
        let path = try options.statePath()
        let hadRecord = try awaiting {
            do {
                guard Files.exists(path) else { return false }
                let state = try await BrokerState(path: path)
                return try await state.directory.forget(BrokerState.device)
            } catch {
                throw options.ending(with: error)
            }
        }
        try Console.show(hadRecord ? "forgotten\n" : "there was nothing to forget\n", in: output) {
            $0.member("forgotten", hadRecord)
        }
    }
    #else
    func run() throws { throw CommandFailure.noClient }
    #endif
}
#endif
