#if Client
public import BrokerMessages
public import EntitlementValues
public import ServiceResponses
import TextCodecs

extension Caller {
    /// Starts an authentication session.
    ///
    /// The answer says what comes next: send the user's browser to ``Broker/address(of:)-(SessionResponse)``, show the session's
    /// code for a second screen, or go on to the authorization without signing in.
    ///
    /// The call is repeated after a failure only if nothing was sent, since each session has a code of its own.
    ///
    /// - Parameters:
    ///   - request: The provider, the domain and the address to return to, as far as they are known; what is missing is
    ///     completed with ``resumeSession(_:with:requestor:timeLimit:)``.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The session, and what comes next.
    /// - Throws: `BrokerError`; `unreadable` if the session is of another brand or provider.
    public func startSession(
        _ request: SessionRequest,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> SessionResponse {
        let form = RequestForm(path: [.requestor: requestor.rawValue], body: request)
        return try await call(.startSession, form, timeLimit: timeLimit) { session in
            session.fault(mvpd: request.mvpd, requestor: requestor)
        }
    }

    /// Completes the parameters of a session, usually on a second screen.
    ///
    /// The call is repeated after a failure only if nothing was sent.
    ///
    /// - Parameters:
    ///   - code: The code of the session.
    ///   - request: The parameters that were missing.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The session, and what comes next.
    /// - Throws: `BrokerError`; `refused` with `EnhancedErrorCode.invalidAuthenticationSession` or
    ///   `EnhancedErrorCode.invalidParameterCode` if the code has ended or is not known.
    public func resumeSession(
        _ code: AuthenticationCode,
        with request: SessionRequest,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> SessionResponse {
        let form = RequestForm(
            path: [.requestor: requestor.rawValue, .code: code.text], body: request)
        // A session that is complete keeps the provider that it has.
        return try await call(.resumeSession, form, timeLimit: timeLimit) { session in
            session.fault(mvpd: nil, requestor: requestor)
        }
    }

    /// Looks at a session: which parameters it has, which are missing, and which device started it.
    ///
    /// A second screen asks it before it shows a provider's page. It does not tell whether the user has signed in; ask
    /// ``profile(code:requestor:priority:timeLimit:)`` for that.
    ///
    /// - Parameters:
    ///   - code: The code of the session.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The session's parameters and its device.
    /// - Throws: `BrokerError`; `refused` with `EnhancedErrorCode.invalidAuthenticationSession` or
    ///   `EnhancedErrorCode.invalidParameterCode` if the code has ended or is not known.
    public func session(
        _ code: AuthenticationCode,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> SessionStatusResponse {
        let form = RequestForm(path: [.requestor: requestor.rawValue, .code: code.text])
        return try await call(.session, form, timeLimit: timeLimit)
    }
}

extension SessionResponse {
    /// Why a session does not answer a question: it belongs to another brand or provider; `nil` if it does.
    ///
    /// - Parameters:
    ///   - mvpd: The provider that was asked for; `nil` if any may be the answer.
    ///   - requestor: The brand that asked.
    /// - Returns: The fault.
    func fault(mvpd: MVPDID?, requestor: RequestorID) -> ServiceResponseError? {
        if !serviceProvider.means(requestor) { return .otherThanAsked(.root + "serviceProvider") }
        guard let mvpd, let found = self.mvpd, !found.means(mvpd) else { return nil }
        return .otherThanAsked(.root + "mvpd")
    }
}
#endif
