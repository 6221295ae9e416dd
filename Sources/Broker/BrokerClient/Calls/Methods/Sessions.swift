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
    /// Why a session is not the answer to a question: it belongs to another brand or provider; `nil` if it is.
    ///
    /// Without a provider, any may be the answer.
    func fault(mvpd: MVPDID?, requestor: RequestorID) -> ServiceResponseError? {
        if !serviceProvider.means(requestor) { return .otherThanAsked(.root + "serviceProvider") }
        guard let mvpd, let found = self.mvpd, !found.means(mvpd) else { return nil }
        return .otherThanAsked(.root + "mvpd")
    }
}

extension Caller {
    /// Starts a session with the sign-on partner that the device's system has built in.
    ///
    /// The caller must have the status of the partner's framework, ``Caller/partnerStatus``; otherwise nothing is sent.
    /// The call is repeated after a failure only if nothing was sent.
    ///
    /// - Parameters:
    ///   - request: The domain and the address to return to.
    ///   - partner: The partner.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The session with what to ask the partner, or the step that takes its place.
    /// - Throws: `BrokerError`.
    public func startPartnerSession(
        _ request: PartnerSessionRequest,
        partner: SignOnPartner = .deviceAccount,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> SessionResponse {
        let form = RequestForm(
            path: [.requestor: requestor.rawValue, .partner: partner.rawValue], body: request)
        return try await call(.startPartnerSession, form, timeLimit: timeLimit) { session in
            session.fault(mvpd: nil, requestor: requestor)
        }
    }

    /// Makes a profile from what the partner answered on the device.
    ///
    /// The caller must have the status of the partner's framework, ``Caller/partnerStatus``; otherwise nothing is sent.
    /// The call is repeated after a failure only if nothing was sent.
    ///
    /// - Parameters:
    ///   - request: The partner's answer.
    ///   - partner: The partner.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The new profile.
    /// - Throws: `BrokerError`.
    public func createPartnerProfile(
        _ request: PartnerProfileRequest,
        partner: SignOnPartner = .deviceAccount,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ProfilesResponse {
        let form = RequestForm(
            path: [.requestor: requestor.rawValue, .partner: partner.rawValue], body: request)
        return try await call(.createPartnerProfile, form, timeLimit: timeLimit) { $0.hidingFault }
    }
}

/// A sign-on partner, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct SignOnPartner: EntitlementIdentifier {
    /// The name as it stands in a path.
    public let rawValue: String

    /// Makes a partner from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The account of a television provider in the settings of the device; the only partner that the broker names.
    public static let deviceAccount: SignOnPartner = "Apple"
}
#endif
