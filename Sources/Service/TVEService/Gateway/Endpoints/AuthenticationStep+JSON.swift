#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Hummingbird
import ServiceResponses
import TextCodecs

extension DeviceCall {
    /// Answers with a step.
    ///
    /// The step is `nil` if nothing is left to do: the user gave up, or a silent question came to nothing.
    func response(_ step: AuthenticationStep?) -> Response {
        var object = JSONWriter()
        switch step {
        case .authenticated(let signIn): object.authenticated(signIn)
        case .openUserAgent(let visit): object.open(visit)
        case .showCode(let code): object.code(code, at: "\(gateway.settings.publicURL)/activate")
        case .chooseProvider(let choice): choose(choice, &object)
        case .askPartner(let question): object.partner(question)
        case .needsIdentity(let mvpd):
            object.member("code", "identity")
            object.member("mvpd", mvpd.rawValue)
        case nil: object.member("code", "not_authenticated")
        }
        return Response(.ok, object)
    }

    /// Answers with how far the user is.
    func response(_ status: SignInStatus) -> Response {
        var object = JSONWriter()
        switch status {
        case .authenticated(let signIn): object.authenticated(signIn)
        case .pending(let open):
            object.member("code", "pending")
            object.member("until", open.until.milliseconds)
        case .notAuthenticated(let end):
            object.member("code", "not_authenticated")
            if let end { object.member("reason", end.rawValue) }
        }
        return Response(.ok, object)
    }

    private func choose(_ choice: ProviderChoice, _ object: inout JSONWriter) {
        var providers = app.shown(of: choice.providers)
        let remembered = remembered(among: providers, choice.remembered)
        // The one of the last time comes first; the others keep their order.
        if let index = providers.firstIndex(where: { $0.id == remembered }) {
            providers.insert(providers.remove(at: index), at: 0)
        }
        object.member("code", "choose")
        object.member("providers", providers.map { $0.object(withPartnerFlags: info.isOfPartnerPlatform) })
        if let remembered { object.member("remembered", remembered.rawValue) }
    }

    /// The provider of the last time; `nil` if it is not one of those that are shown, or there is none.
    ///
    /// `known` is the one that the flow knows.
    func remembered(among providers: [MVPD], _ known: MVPDID? = nil) -> MVPDID? {
        let last = known ?? (record == nil ? token.facts.lastProvider : record?.facts.lastProvider)
        return last.flatMap { last in providers.contains { $0.id == last } ? last : nil }
    }
}

extension JSONWriter {
    fileprivate mutating func authenticated(_ signIn: SignIn) {
        member("code", "authenticated")
        member("mvpd", signIn.mvpd.rawValue)
        if let until = signIn.until { member("until", until.milliseconds) }
    }

    /// Adds an address that the user's browser opens.
    mutating func open(_ visit: UserAgentVisit) {
        member("code", "open")
        member("url", visit.url)
        if let until = visit.until { member("until", until.milliseconds) }
        member("purpose", visit.purpose.rawValue)
        member("systemBrowser", visit.usesSystemBrowser)
        if visit.purpose == .logout { member("needsNoInteraction", visit.needsNoInteraction) }
    }

    fileprivate mutating func code(_ code: ActivationCode, at page: String) {
        member("code", "code")
        member("activationCode", code.code.text)
        member("activationURL", page)
        if let text = Percent.encode(pathSegment: code.code.text) {
            // The page names the device and asks before it goes on; the provider's own address would not.
            member("activationURLComplete", "\(page)?code=\(text)")
        }
        member("until", code.until.milliseconds)
    }

    fileprivate mutating func partner(_ question: PartnerQuestion) {
        member("code", "partner")
        member("channel", PartnerQuestion.channel)
        switch question {
        case .pick(let pick):
            member("question", "pick")
            member("supported", pick.supported)
            member("featured", pick.featured)
        case .confirm(let confirmation):
            member("question", "confirm")
            member("verificationToken", confirmation.verificationToken)
            member("attributeNames", confirmation.attributeNames)
            member("allowsInterruption", confirmation.allowsInterruption)
        }
    }
}
#endif
