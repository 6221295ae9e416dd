#if Client
public import BrokerMessages
public import EntitlementValues
public import ServiceResponses

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
