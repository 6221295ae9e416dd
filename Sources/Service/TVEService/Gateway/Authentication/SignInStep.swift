#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues

/// What an app does next on the way to a user who is signed in.
enum SignInStep: Sendable {
    case authenticated(MVPDID, until: Timestamp?)
    /// The user's browser opens an address.
    case open(UserAgentVisit, until: Timestamp?)
    /// The app shows a code.
    case code(ActivationCode)
    /// The user chooses a provider.
    case choose(ProviderChoice)
    /// The device asks its sign-on partner.
    case partner(PartnerQuestion)
    /// The provider needs an identity of the user.
    case identity(MVPDID)
    /// Nothing is left to do: the user gave up, or a silent question came to nothing.
    case nothing

    /// Takes a step of the flow that involves neither a browser nor a code.
    init(_ step: AuthenticationStep?) {
        switch step {
        case .authenticated(let signIn): self = .authenticated(signIn.mvpd, until: signIn.until)
        case .chooseProvider(let choice): self = .choose(choice)
        case .openUserAgent(let visit): self = .open(visit, until: visit.until)
        case .showCode(let code): self = .code(code)
        case .askPartner(let question): self = .partner(question)
        case .needsIdentity(let mvpd): self = .identity(mvpd)
        case nil: self = .nothing
        }
    }
}
#endif
