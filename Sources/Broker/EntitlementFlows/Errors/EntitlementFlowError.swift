#if Client
public import BrokerClient
public import DeviceRecords
public import EntitlementValues
public import ServiceResponses
public import TokenRedemption

/// The reason why a call of a session failed.
@nonexhaustive
public enum EntitlementFlowError: Error, Sendable, Hashable {
    /// A requestor is not set yet: call `setRequestor` first.
    case requestorNotSet
    /// None of the origins answered, each for a cause of its own, in the order of the call.
    case noOrigin([OriginFailure])
    /// A call of the broker failed.
    case broker(BrokerError)
    /// The user is not signed in.
    case notAuthenticated
    /// The provider is not among those of the requestor.
    case unknownProvider(MVPDID)
    /// The provider is promotional temporary access, and the user's identity is not known: hand it to
    /// `getAuthentication`.
    case identityNeeded(MVPDID)
    /// The session does not do this, for the reason named.
    case unsupported(UnsupportedCall)
    /// The code of a sign-in has ended before the user signed in.
    case codeEnded
    /// The user, or the application, gave the sign-in up, or a later call took the place of this one.
    case superseded
    /// The media token that the broker sent is not good.
    case token(ResponseTokenError)
    /// Whether the token was used before could not be told, so it does not count.
    case redemption(ReplayStoreError)
    /// The device's record could not be read or changed.
    case store(DeviceRecordsError)
    /// The broker named a next step that this library does not know.
    case unknownStep(String)
    /// The server shuts down: nothing begins here anymore, and another process goes on with the device.
    case shutDown
    /// The task was cancelled.
    case cancelled
}

/// Why an origin of the broker did not answer.
public struct OriginFailure: Sendable, Hashable {
    /// The origin.
    public let origin: BrokerOrigin
    /// Why it did not answer.
    public let error: BrokerError

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - error: Why it did not answer.
    public init(at origin: BrokerOrigin, because error: BrokerError) { (self.origin, self.error) = (origin, error) }
}

extension EntitlementFlowError {
    /// Takes a failed call of the broker: a cancelled one is a cancelled call of the session.
    init(_ error: BrokerError) {
        self = error == .cancelled ? .cancelled : .broker(error)
    }

    /// Whether an authentication was given up rather than failed: it was cancelled, or another one took its place.
    ///
    /// That tells nothing, since the other one tells, and ends nothing but itself.
    var isGivenUp: Bool { self == .cancelled || self == .superseded }
}

/// What the operator's library could do, or took, and a server cannot.
@nonexhaustive
public enum UnsupportedCall: String, Sendable, Hashable, CaseIterable {
    /// A server shows no browser, so `handleSVC: false` would be a promise that cannot be kept.
    case handlingBrowser = "handles_browser"
    /// A member of the data that has no place in the broker's API.
    case unknownData = "unknown_data"
    /// Featured providers that are not among the supported ones.
    case featuredNotSupported = "featured_not_supported"
    /// The address of a service provider that is not one of a server, has another path than that of the older protocol,
    /// or is plain HTTP.
    case malformedServiceProvider = "malformed_service_provider"
    /// A partner's answer that is neither XML nor Base64 of it.
    case malformedResponse = "malformed_partner_response"
}
#endif
