#if Client
public import BrokerMessages

/// On whose behalf the broker is called: the device, its registration, and what is known of its user.
///
/// Which of these go on a call, the endpoint says.
public struct Caller: Sendable {
    /// Has the credentials and access tokens of the device.
    public var registration: ClientRegistration
    /// The device of the registration, with what it says of itself now.
    public var device: Device
    /// The client's address, by which the broker counts requests.
    ///
    /// A server that leaves it out puts all of its devices into one count.
    public var clientAddress: ClientAddress?
    /// The token of the device's platform, for single sign-on.
    public var platformToken: PlatformToken?
    /// The token of an identity service, for single sign-on.
    public var serviceToken: ServiceToken?
    /// What the device's sign-on partner says.
    public var partnerStatus: PartnerFrameworkStatus?
    /// The user's identity for promotional temporary access.
    public var temporaryIdentity: TemporaryIdentity?
    /// The visitor's identifier for analytics.
    public var visitorIdentifier: VisitorIdentifier?

    /// Describes a caller.
    ///
    /// - Parameters:
    ///   - registration: Has the credentials and access tokens of the device.
    ///   - device: The device of the registration, with what it says of itself now.
    ///   - clientAddress: The client's address, by which the broker counts requests.
    ///   - platformToken: The token of the device's platform, for single sign-on.
    ///   - serviceToken: The token of an identity service, for single sign-on.
    ///   - partnerStatus: What the device's sign-on partner says.
    ///   - temporaryIdentity: The user's identity for promotional temporary access.
    ///   - visitorIdentifier: The visitor's identifier for analytics.
    public init(
        registration: ClientRegistration,
        device: Device,
        clientAddress: ClientAddress? = nil,
        platformToken: PlatformToken? = nil,
        serviceToken: ServiceToken? = nil,
        partnerStatus: PartnerFrameworkStatus? = nil,
        temporaryIdentity: TemporaryIdentity? = nil,
        visitorIdentifier: VisitorIdentifier? = nil
    ) {
        (self.registration, self.device, self.clientAddress) = (registration, device, clientAddress)
        (self.platformToken, self.serviceToken, self.partnerStatus) = (platformToken, serviceToken, partnerStatus)
        (self.temporaryIdentity, self.visitorIdentifier) = (temporaryIdentity, visitorIdentifier)
    }
}

extension Caller: AccessTokenSource {
    func token(
        insteadOf refused: AccessToken?,
        within limit: Duration
    ) async throws(BrokerError) -> (token: AccessToken, isNew: Bool) {
        let held = try await registration.token(for: self, insteadOf: refused, within: limit)
        return (held.token, held.isNew)
    }
}
#endif
