#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses

/// What a call of a session returned or threw, in the words of the model.
struct WalkOutcome: Sendable {
    let text: String
    /// The resources that the session answered by itself, in a question before playback.
    var remembered: [String] = []
    /// The code that the user was shown.
    var code: String?
}

extension EntitlementSession {
    /// Makes a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - requestedOrigins: The origins that a call of `setRequestor` names.
    /// - Returns: How it ended.
    func outcome(of call: WalkCall, at requestedOrigins: [BrokerOrigin]) async -> WalkOutcome {
        do throws(EntitlementFlowError) {
            return try await result(of: call, at: requestedOrigins)
        } catch {
            return WalkOutcome(text: error.word)
        }
    }

    /// Waits for the sign-in.
    func wait() async -> String {
        do throws(EntitlementFlowError) {
            return try await awaitAuthentication().text
        } catch {
            return error.word
        }
    }

    private func result(
        of call: WalkCall,
        at requestedOrigins: [BrokerOrigin]
    ) async throws(EntitlementFlowError) -> WalkOutcome {
        switch call {
        case .setRequestor:
            try await setRequestor(SessionWalk.requestor, at: requestedOrigins)
            return WalkOutcome(text: "set")
        case .checkAuthentication(let source):
            return WalkOutcome(text: try await checkAuthentication(source).text)
        case .getAuthentication: return try await getAuthentication().outcome
        case .forceAuthentication: return try await getAuthentication(forced: true).outcome
        case .setSelectedProvider(let mvpd):
            return try await setSelectedProvider(MVPDID(mvpd))?.outcome ?? WalkOutcome(text: "nothing")
        case .cancel:
            return try await setSelectedProvider(nil)?.outcome ?? WalkOutcome(text: "nothing")
        case .handleExternalURL:
            return try await handleExternalURL(application.redirect).outcome
        case .checkAuthorization(let resource):
            return try await checkAuthorization(ResourceID(resource)).outcome
        case .getAuthorization(let resource):
            return try await getAuthorization(ResourceID(resource)).outcome
        case .preauthorize(let resources):
            return try await preauthorize(resources.map { ResourceID($0) }).outcome
        case .logoutAll: return WalkOutcome(text: try await logout().text)
        case .logout(let mvpd): return WalkOutcome(text: try await logout(.mvpd(MVPDID(mvpd))).text)
        case .synchronize: return WalkOutcome(text: try await synchronize().status.text)
        case .selectedProvider:
            return WalkOutcome(text: "provider \(try await selectedProvider()?.id.rawValue ?? "none")")
        case .authenticationTTL: return WalkOutcome(text: try await metadata(.authenticationTTL).text)
        case .authorizationTTL(let resource):
            return WalkOutcome(text: try await metadata(.authorizationTTL(ResourceID(resource))).text)
        case .forgetDevice: return WalkOutcome(text: try await forgetDevice() ? "forgotten" : "nothing to forget")
        }
    }
}

extension EntitlementFlowError {
    fileprivate var word: String {
        switch self {
        case .requestorNotSet: "requestorNotSet"
        case .noOrigin: "noOrigin"
        case .broker: "broker"
        case .codeEnded: "codeEnded"
        case .superseded: "superseded"
        case .notAuthenticated: "notAuthenticated"
        case .unknownProvider: "unknownProvider"
        case .shutDown: "shutDown"
        case .cancelled: "cancelled"
        default: "\(self)"
        }
    }
}

extension SignIn {
    var text: String {
        "in with \(mvpd.rawValue) until \(until.map { "\(SessionWalk.milliseconds(of: $0))" } ?? "?")"
    }
}

extension AuthenticationStatus {
    fileprivate var text: String {
        switch self {
        case .authenticated(let signIn): signIn.text
        case .notAuthenticated: "out"
        case .unknown: "unknown"
        }
    }
}

extension AuthenticationStep {
    fileprivate var outcome: WalkOutcome {
        switch self {
        case .authenticated(let signIn): WalkOutcome(text: signIn.text)
        case .chooseProvider(let choice):
            WalkOutcome(
                text:
                    "choose \(choice.names.joined(separator: " ")), remembered \(choice.remembered?.rawValue ?? "none")"
            )
        case .openUserAgent(let visit):
            WalkOutcome(text: visit.purpose == .logout ? "logout page" : "browser", code: visit.code?.text)
        case .showCode(let code): WalkOutcome(text: "code", code: code.code.text)
        default: WalkOutcome(text: "\(self)")
        }
    }
}

extension ProviderChoice {
    /// The providers that walks choose from.
    fileprivate var names: [String] {
        providers.map(\.id.rawValue).filter { WalkStep.providers.contains($0) || $0 == WalkStep.trial }
    }
}

extension ReturnOutcome {
    fileprivate var outcome: WalkOutcome {
        switch self {
        case .authenticated(let signIn): WalkOutcome(text: signIn.text)
        case .waiting: WalkOutcome(text: "waiting")
        case .signedOut: WalkOutcome(text: "signed out")
        case .goOn(let step): WalkOutcome(text: "go on: \(step.outcome.text)", code: step.outcome.code)
        case .nothingAwaited: WalkOutcome(text: "nothing")
        default: WalkOutcome(text: "\(self)")
        }
    }
}

extension AuthorizationOutcome {
    fileprivate var outcome: WalkOutcome {
        switch self {
        case .permitted(let playback): WalkOutcome(text: "permitted by \(playback.mvpd.rawValue)")
        case .denied(let denial): WalkOutcome(text: "denied by \(denial.mvpd?.rawValue ?? "none")")
        case .needsAuthentication(let step, _):
            WalkOutcome(text: "sign-in: \(step.outcome.text)", code: step.outcome.code)
        }
    }
}

extension Preauthorization {
    fileprivate var outcome: WalkOutcome {
        WalkOutcome(
            text: answers.map { "\($0.resource.rawValue)\($0.isPermitted ? "+" : "-")" }.joined(separator: " "),
            remembered: answers.filter(\.isCached).map(\.resource.rawValue))
    }
}

extension LogoutOutcome {
    fileprivate var text: String {
        let visits = steps.count { if case .openUserAgent = $0 { true } else { false } }
        return "\(visits) visits, unconfirmed: \(unconfirmed.map(\.mvpd.rawValue).sorted())"
    }
}

extension MetadataAnswer {
    fileprivate var text: String {
        guard case .instant(let end)? = value else { return "until ?" }
        return "until \(SessionWalk.milliseconds(of: end))"
    }
}
#endif
