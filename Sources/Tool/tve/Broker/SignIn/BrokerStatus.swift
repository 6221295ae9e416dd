#if CLI
import ArgumentParser
#if Client
import EntitlementFlows
import TextCodecs
#endif

struct BrokerStatus: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether a subscriber is signed in on this device.",
        discussion: """
            Examples:
              tve broker status --requestor REF30 --statement statement.jwt
              tve broker status --requestor REF30 --statement statement.jwt \\
                  --refresh --output json | jq -r .status

            The answer comes from the state file; the broker is asked if it never was for this device, or with --refresh.

            As JSON it is one object: status (authenticated, not_authenticated) and, if signed in, mvpd, displayName and \
            until in milliseconds since 1970.

            Exit codes: 0 signed in; 21 not signed in; 23 throttled; 24 must register anew; 64 usage; 66 no such file; \
            69 no answer; 74 output failed; 78 the broker refuses the request, or a file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions

    @Flag(name: .long, help: "Ask the broker.")
    var refresh = false

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let session = try await conversation.session()
        let status = try await session.checkAuthentication(refresh ? .broker : .record)
        var report: SignInReport?
        if case .authenticated(let signIn) = status { report = try await SignInReport(signIn, in: session) }
        let exitCode: ExitCode = report == nil ? .notSignedIn : .success
        try Console.show(report?.line ?? "not signed in\n", in: output, endingWith: exitCode) { object in
            object.member("status", report == nil ? "not_authenticated" : "authenticated")
            report?.write(to: &object)
        }
    }
    #endif
}
#endif
