#if CLI
import ArgumentParser
#if Client
import BrokerClient
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs
#endif

struct BrokerLogout: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign the subscriber out on this device, at one provider or at all.",
        discussion: """
            Examples:
              tve broker logout --requestor REF30 --statement statement.jwt
              tve broker logout --requestor REF30 --statement statement.jwt \\
                  --mvpd SampleCable --domain example.org

            The state file is cleared in any case. What the broker did not confirm is tried again with the next command. \
            If the provider has a page for it, the address is shown that ends the provider's own session; open it in the \
            browser that signed in.

            As JSON it is one object: steps, each with step (open and url, or leave_partner_account and mvpd), and \
            unconfirmed, each with mvpd and code.

            Exit codes: 0 signed out; 23 throttled; 24 must register anew; 64 usage; 66 no such file; 69 no answer; 74 \
            output failed; 78 the broker refuses the request, or a file cannot be used. From 23 on, the state file is \
            cleared, and unconfirmed names the providers.
            """
    )

    @OptionGroup var options: BrokerOptions
    @OptionGroup var place: ReturnOptions

    @Option(name: .long, help: ArgumentHelp("The provider (default: all of this device).", valueName: "id"))
    var mvpd: String?

    func validate() throws {
        guard mvpd != "" else { throw ValidationError("--mvpd is empty (an unset variable?).") }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let session = try await conversation.session(returningTo: await place(conversation), hasUserAgent: true)
        let outcome = try await session.logout(mvpd.map { .mvpd(MVPDID($0)) } ?? .all)
        try Console.show(
            text(outcome), or: object(outcome), in: output,
            endingWith: outcome.unconfirmed.first?.error.ending ?? .success)
    }

    private func place(_ conversation: BrokerConversation) async -> ReturnPlace {
        if let place = place.place { return place }
        let domain = await conversation.placeOfLogout().domain
        return ReturnPlace(domain: domain, redirect: place.redirect)
    }

    private func text(_ outcome: LogoutOutcome) -> String {
        var text = outcome.unconfirmed.isEmpty ? "signed out\n" : "signed out on this device only\n"
        for step in outcome.steps {
            switch step {
            case .openUserAgent(let visit):
                text += "to end the provider's own session, open in the browser that signed in:\n\n"
                text += "  \(visit.url.printable)\n"
            case .leavePartnerAccount(let mvpd):
                text += "the device's own account with \(mvpd.rawValue.printable) stays; leave it in its settings\n"
            case .done: break
            }
        }
        for logout in outcome.unconfirmed {
            let reason = "\(logout.error)".printable
            text += "\(logout.mvpd.rawValue.printable) is tried again with the next command: \(reason)\n"
        }
        return text
    }

    private func object(_ outcome: LogoutOutcome) -> JSONWriter {
        var object = JSONWriter()
        object.member("steps", outcome.steps.compactMap(\.object))
        object.member("unconfirmed", objects: outcome.unconfirmed) { logout, object in
            object.member("mvpd", logout.mvpd.rawValue)
            object.member("code", logout.error.code)
        }
        return object
    }
    #endif
}

#if Client
extension SignOutStep {
    /// The step as JSON; `nil` if nothing is left to do.
    fileprivate var object: JSONWriter? {
        var object = JSONWriter()
        switch self {
        case .openUserAgent(let visit):
            object.member("step", "open")
            object.member("url", visit.url)
        case .leavePartnerAccount(let mvpd):
            object.member("step", "leave_partner_account")
            object.member("mvpd", mvpd.rawValue)
        case .done: return nil
        }
        return object
    }
}
#endif
#endif
