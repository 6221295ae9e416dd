#if CLI
import ArgumentParser
#if Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HostSystem
import ServiceResponses
import TextCodecs
#endif

struct BrokerLogin: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign a subscriber in on this device, with a browser anywhere.",
        discussion: """
            Examples:
              tve broker login --requestor REF30 --statement statement.jwt
              tve broker login --requestor REF30 --statement statement.jwt \\
                  --mvpd SampleCable --domain example.org
              tve broker login --requestor REF30 --statement statement.jwt \\
                  --code-only
              tve broker login --requestor REF30 --statement statement.jwt \\
                  --mvpd PromoPass --identity user@example.org
              tve broker login --requestor REF30 --statement statement.jwt \\
                  --mvpd SampleCable --no-wait --output json | jq -r .url

            It shows an address to open on any device (as a QR code, too, on a terminal that can), or a code to type at \
            your activation page. Then it asks the broker every five seconds until the subscriber has signed in, or the \
            code ends. Ctrl-C gives the sign-in up. Without --mvpd, a terminal lists the providers to choose from.

            As JSON it writes one object a line: first step "code" with code, url, until and missing; then step \
            "authenticated" with mvpd, displayName, until and reason. Times are milliseconds since 1970.

            Exit codes: 0 signed in, or with --no-wait begun; 21 the code ended, or another command took its place; 23 \
            throttled; 24 must register anew; 64 usage, or no such provider; 66 no such file; 69 no answer; 74 output \
            failed; 78 the broker refuses the request, or a file cannot be used; 130, 143 given up by Ctrl-C or SIGTERM.
            """
    )

    @OptionGroup var options: BrokerOptions
    @OptionGroup var place: ReturnOptions

    @Option(name: .long, help: ArgumentHelp("The provider.", valueName: "id"))
    var mvpd: String?

    @OptionGroup var identity: IdentityOptions

    @Flag(name: .long, help: "Show the code only, for your activation page, which may also ask for the provider.")
    var codeOnly = false

    @Flag(name: .long, help: "Show the address or the code, and do not wait; tve broker status --refresh sees the end.")
    var noWait = false

    func validate() throws {
        guard mvpd != "" else { throw ValidationError("--mvpd is empty (an unset variable?).") }
        guard identity.identity == nil || mvpd != nil else {
            throw ValidationError("--identity goes with --mvpd, the provider of promotional temporary access.")
        }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let identity = try identity.header()
        // Without it, the broker does not tell the profile of promotional access.
        if let identity, let mvpd, try await conversation.provider?.id == MVPDID(mvpd) {
            try await conversation.keep(identity)
        }
        // The domain is not known before the broker has been asked, and this question needs none.
        let before = try await conversation.session()
        if case .authenticated(let signIn) = try await before.checkAuthentication(.broker),
            mvpd.map({ signIn.mvpd == MVPDID($0) }) ?? true
        {
            return try report(try await SignInReport(signIn, in: before))
        }
        let (place, provider) = try await preparation(conversation)
        if let identity { try await conversation.keep(identity) }
        let session = try await conversation.session(returningTo: place) { application in
            // Of a provider that is not promotional, the session would forget the identity.
            if identity != nil, let provider { application.promotionalProviders = [provider.id] }
        }
        let step =
            if let provider { try await session.setSelectedProvider(provider.id) } else {
                try await session.requestCode()
            }
        if let provider { try await keep(provider, conversation) }
        switch step {
        case .authenticated(let signIn)?: try await report(signIn, in: session)
        case .showCode(let code)?:
            // From now on the user may give up, and the code is dropped then.
            if !noWait { StopSignals.catchOnce() }
            let prompt = LoginPrompt(code: code, showsAddress: !codeOnly)
            try Console.show(prompt.text(on: TextScreen.ofOutput), or: prompt.object, in: output)
            if noWait { return }
            let signIn = try await LoginWait(session: session, until: code.until).signIn()
            try await report(signIn, in: session)
        case .openUserAgent?, .chooseProvider?, .askPartner?, .needsIdentity?, nil:
            throw CommandFailure(
                "unexpected_step", "the sign-in needs a step that a terminal cannot take; use your application",
                exitCode: .undecided)
        }
    }

    /// Finds the domain and the provider, with one request at most.
    private func preparation(
        _ conversation: BrokerConversation
    ) async throws -> (place: ReturnPlace, provider: ChosenProvider?) {
        let named = mvpd.map { ChosenProvider(id: MVPDID($0)) }
        if let place = place.place, named != nil || codeOnly { return (place, named) }
        let requestor = try await conversation.caller.configuration(
            requestor: conversation.requestor
        ).requestor
        let place = try place.place(of: requestor)
        if named == nil, codeOnly { return (place, nil) }
        let id = try named?.id ?? chosenProvider(among: requestor.mvpds)
        guard let provider = requestor.mvpds.first(where: { $0.id == id }) else {
            throw EntitlementFlowError.unknownProvider(id)
        }
        return (place, ChosenProvider(provider))
    }

    private func chosenProvider(among providers: [MVPD]) throws(CommandFailure) -> MVPDID {
        guard output == .text, StandardStreams.inputIsTerminal, StandardStreams.errorIsTerminal else {
            throw CommandFailure(
                "no_provider",
                "give --mvpd ID, one of the \(providers.count) that tve broker providers lists, or "
                    + "--code-only", exitCode: .usage)
        }
        return try ProviderPrompt(providers: providers).choice()
    }

    /// Keeps what the broker's list says of the provider, for later commands: the session has not seen the list.
    private func keep(_ provider: ChosenProvider, _ conversation: BrokerConversation) async throws {
        guard provider.displayName != nil else { return }
        let requestor = conversation.requestor
        try await conversation.state.directory.change(BrokerState.device) { record throws(Never) in
            if record[requestor].provider?.id == provider.id { record[requestor].provider = provider }
        }
    }

    // MARK: Output

    private func report(_ signIn: SignIn, in session: EntitlementSession) async throws {
        var signIn = signIn
        // The broker's word for a sign-in without a browser says no end; the profile does, if there is one.
        // Temporary access that is used up has none, although the broker has just said yes.
        if signIn.until == nil {
            switch try? await session.checkAuthentication(.broker) {
            case .authenticated(let known):
                signIn = SignIn(mvpd: signIn.mvpd, until: known.until, because: signIn.reason)
            case .notAuthenticated: throw EntitlementFlowError.notAuthenticated
            case .unknown, nil: break
            }
        }
        try report(try await SignInReport(signIn, in: session))
    }

    private func report(_ report: SignInReport) throws {
        try Console.show(report.line, in: output) { object in
            object.member("step", "authenticated")
            report.write(to: &object)
        }
    }
    #endif
}
#endif
