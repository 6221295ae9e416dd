#if CLI
import ArgumentParser
#if Client
import BrokerClient
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
        let registration = conversation.caller.registration
        let isNew = try await registration.credentials == nil
        let token = try await registration.accessToken(for: conversation.caller.clientAddress)
        switch output {
        case .text:
            try Console.write(
                (isNew ? "registered\n" : "registered before; the broker still accepts the credentials\n")
                    + aligned([
                        ("broker", "\(conversation.broker.environment.api)"),
                        ("application", conversation.statement.unverifiedClaims.subject ?? "unknown"),
                        ("token until", "\(token.expires)"),
                        ("kept in", conversation.state.path),
                    ]))
        case .json:
            var object = JSONWriter()
            object.member("registered", isNew ? "now" : "before")
            object.member("broker", "\(conversation.broker.environment.api)")
            if let application = conversation.statement.unverifiedClaims.subject {
                object.member("application", application)
            }
            object.member("accessTokenExpires", token.expires.milliseconds)
            object.member("state", conversation.state.path)
            try Console.write(object)
        }
    }
    #endif
}
#endif
