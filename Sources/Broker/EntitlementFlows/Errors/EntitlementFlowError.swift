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
#endif
