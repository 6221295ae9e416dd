#if CLI
import ArgumentParser
import MediaTokens
#if Client
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs
#endif

struct BrokerAuthorize: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Ask whether the subscriber may watch a resource now, for a media token.",
        discussion: """
            Examples:
              tve broker authorize REF30 --requestor REF30 --statement statement.jwt \\
                  --keys issuer.pem --redeem sqlite:used.sqlite
              tve broker authorize REF30 --requestor REF30 --statement statement.jwt \\
                  --token-only | tve verify - --keys issuer.pem \\
                  --requestor REF30 --resource REF30

            With --keys, the token is verified for this requestor, resource and provider; with --redeem, it is used up, \
            too. The token, with which anybody may start one playback, is shown with --token-only, or as a member of the \
            JSON.

            Promotional temporary access goes by the subscriber's identity. Choose the provider first:
              tve broker login --mvpd PromoPass --identity user@example.org \\
                  --requestor REF30 --statement statement.jwt
            Both commands keep the identity, so that later ones need not name it; --identity here takes another one.

            As JSON it is one object: permitted, resource and mvpd; if true, source, until, cached, verified, redeemed \
            and token; if false, code, status, action, message, details, links and trace, as far as they are known.

            Exit codes: 0 permitted; 10 to 16 the broker's token is refused, as by tve verify; 21 not signed in; 22 \
            denied; 23 throttled; 24 must register anew; 64 usage; 66 no such file; 69 no answer, or the store cannot \
            tell; 74 output failed; 78 the broker refuses the request, or a key, file or store cannot be used.
            """
    )

    @Argument(help: "The resource: a short name, or a channel in MRSS.")
    var resource: String

    @OptionGroup var options: BrokerOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Certificates or public keys of the issuer, a file or a folder; may be repeated.", valueName: "path"),
        completion: .file())
    var keys: [String] = []

    @OptionGroup var used: RedeemOptions
    @OptionGroup var identity: IdentityOptions

    @Flag(name: .long, help: "Show the token and nothing else.")
    var tokenOnly = false

    func validate() throws {
        guard !resource.isEmpty else { throw ValidationError("The resource is empty (an unset variable?).") }
        guard used.redeem == nil || !keys.isEmpty else { throw ValidationError("--redeem goes with --keys.") }
        guard !used.isInMemory else {
            throw ValidationError(
                "--redeem memory: ends with this run, so any token would pass again; use sqlite:PATH.")
        }
        guard !tokenOnly || output == .text else { throw ValidationError("--token-only is text; JSON has it anyway.") }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let verification = try verification()
        if let identity = try identity.header() { try await keep(identity, conversation) }
        let session = try await conversation.session { $0.verification = verification }
        let outcome = try await session.checkAuthorization(ResourceID(resource))
        await keepDecisionTimes(conversation)
        switch outcome {
        case .permitted(let playback): try report(playback)
        case .denied(let denial): try report(denial)
        case .needsAuthentication: throw EntitlementFlowError.notAuthenticated
        }
    }

    /// Keeps the identity, unless it is known that the provider has no use for it.
    private func keep(_ identity: TemporaryIdentity, _ conversation: BrokerConversation) async throws {
        if let provider = try await conversation.provider, provider.isTemporary == false {
            throw CommandFailure(
                "not_temporary",
                "--identity is for promotional temporary access, and \(provider.id.rawValue.printable) is not; "
                    + "choose the provider with tve broker login --mvpd ID --identity EMAIL", exitCode: .usage)
        }
        try await conversation.keep(identity)
    }

    /// Writes the times of decisions, which only go out with another change, and this process makes none.
    ///
    /// They are for questions alone, so a file that cannot be written does not take the permit away.
    private func keepDecisionTimes(_ conversation: BrokerConversation) async {
        try? await conversation.state.directory.writeNotedDecisions(of: BrokerState.device)
    }

    private func verification() throws -> TokenVerification? {
        guard !keys.isEmpty else { return nil }
        let keys = try KeyPaths(paths: keys).read(KeyOpener(password: nil))
        return TokenVerification(by: MediaTokenVerifier(keys: keys), redeemingIn: try used.open())
    }

    // MARK: Output

    private func report(_ playback: AuthorizedPlayback) throws {
        if tokenOnly { return try Console.write("\(playback.token.serialized.serializedToken)\n") }
        let verified: VerifiedMediaToken? = if case .verified(let token, _) = playback.token { token } else { nil }
        let isRedeemed = verified != nil && used.redeem != nil
        var lines = [("resource", playback.resource.rawValue), ("MVPD", playback.mvpd.rawValue)]
        if let source = playback.source { lines.append(("decided by", source.rawValue)) }
        if let until = playback.until { lines.append(("decision until", "\(until)")) }
        let state = verified == nil ? "not verified (--keys)" : isRedeemed ? "verified, and used up" : "verified"
        lines.append(("token", verified.map { "\(state), until \($0.expires)" } ?? state))
        try Console.show("permitted\n" + aligned(lines.map { (name: $0.0, value: $0.1) }), in: output) { object in
            object.member("permitted", true)
            object.member("resource", playback.resource.rawValue)
            object.member("mvpd", playback.mvpd.rawValue)
            object.member("source", ifPresent: playback.source?.rawValue)
            object.member("until", ifPresent: playback.until)
            object.member("cached", playback.isCached)
            object.member("verified", verified != nil)
            object.member("redeemed", isRedeemed)
            object.member("token", playback.token.serialized.serializedToken)
        }
    }

    private func report(_ denial: AuthorizationDenial) throws {
        let report = DenialReport(denial: denial)
        if tokenOnly {
            throw CommandFailure(report.code, "the subscriber may not watch \(resource.printable)", exitCode: .denied)
        }
        let lines =
            [(name: "resource", value: denial.resource.rawValue)]
            + (denial.mvpd.map { [(name: "MVPD", value: $0.rawValue)] } ?? []) + report.lines
        try Console.show("denied\n" + aligned(lines), in: output, endingWith: .denied) { object in
            object.member("permitted", false)
            object.member("resource", denial.resource.rawValue)
            object.member("mvpd", ifPresent: denial.mvpd?.rawValue)
            report.write(to: &object)
        }
    }
    #endif
}
#endif
