#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
public import EntitlementValues
public import ServiceResponses

/// What a second screen does for the device whose code the user has typed.
public enum SecondScreenStep: Sendable, Hashable {
    /// The user chooses a provider; the device is the one that shows the code, as far as the broker says.
    case chooseProvider(ProviderChoice, for: SessionDevice?)
    /// The user's browser signs in at the provider.
    case openUserAgent(UserAgentVisit)
    /// Nothing has to be done: the other device finds its user signed in.
    case done(SessionReason)
    /// The broker wants parameters that a second screen does not have.
    case incomplete([MissingParameter])
}

extension SecondScreenStep {
    /// Takes the broker's answer about a code.
    ///
    /// Throws `.unknownStep`, and `.broker` if the address must not be opened.
    init(
        after session: SessionResponse,
        of code: AuthenticationCode,
        at broker: Broker,
        for application: EntitlementApplication
    ) throws(EntitlementFlowError) {
        switch session.actionName {
        case .authorize: self = .done(session.reason)
        case .resume, .retry: self = .incomplete(session.missingParameters)
        case .authenticate:
            let url = try rethrowing(broker.address(of: session), as: EntitlementFlowError.broker)
            guard let url else { throw .unknownStep("authenticate without an address") }
            let usesSystemBrowser = application.usesSystemBrowser(mvpd: session.mvpd)
            self = .openUserAgent(
                UserAgentVisit(
                    to: url, for: .login, code: session.code ?? code, until: session.notAfter,
                    usesSystemBrowser: usesSystemBrowser))
        default: throw .unknownStep(session.actionName.rawValue)
        }
    }
}

extension EntitlementSession {
    /// Goes on, on this screen, with the sign-in of the device whose code the user has typed here.
    ///
    /// This session's own sign-in is not touched: the other device finds its user signed in.
    ///
    /// - Parameters:
    ///   - code: The code, as the user has typed it.
    ///   - mvpd: The provider that the user chose here; `nil` to see first what is missing.
    /// - Returns: What comes next on this screen.
    /// - Throws: `.codeEnded` if the broker does not know the code, or not anymore; `.requestorNotSet`, `.noOrigin`,
    ///   `.broker`, `.store`, `.unknownStep`, `.cancelled`.
    public func resume(
        code: AuthenticationCode,
        mvpd: MVPDID? = nil
    ) async throws(EntitlementFlowError) -> SecondScreenStep {
        try await command { context throws(EntitlementFlowError) in
            let call = try call(in: context)
            let caller = access.caller(mvpd: mvpd, in: try await record(call), call)
            if mvpd == nil {
                let status = try await asking { () async throws(BrokerError) in
                    try await caller.session(code, requestor: call.requestor)
                }
                if status.existingParameters.mvpd == nil {
                    let list = try await access.providers(call)
                    return .chooseProvider(ProviderChoice(among: list.mvpds), for: status.device)
                }
            }
            let request = SessionRequest(mvpd: mvpd, domain: application.domain, redirect: redirect(call.context))
            let session = try await asking { () async throws(BrokerError) in
                try await caller.resumeSession(code, with: request, requestor: call.requestor)
            }
            return try SecondScreenStep(after: session, of: code, at: caller.broker, for: application)
        }
    }

    /// Asks the broker about a code; one that it does not know has ended.
    private func asking<Answer: Sendable>(
        _ body: () async throws(BrokerError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        do throws(BrokerError) {
            return try await body()
        } catch .refused(let error, _) where error.saysThatCodeHasEnded {
            throw .codeEnded
        } catch {
            throw EntitlementFlowError(error)
        }
    }
}
#endif
