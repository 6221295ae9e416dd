#if Client
/// How calls of the broker are made.
public struct BrokerSettings: Sendable, Hashable {
    /// How long a call may take: waits, repeats, a new access token and the whole answer included.
    ///
    /// 10 s by default. A call can state another limit.
    public var timeLimit: Duration = .seconds(10)
    /// How often a request is repeated at most after the broker has answered that there are too many: 3 times by
    /// default.
    public var maximumRepeatsWhenThrottled = 3
    /// How often a request that is safe to repeat is repeated at most after the broker or the connection has failed:
    /// twice by default.
    public var maximumRepeatsAfterFailures = 2
    /// Whether the device's identifier and information go on every call, instead of only on those whose reference has
    /// them.
    ///
    /// Off by default. The broker's documentation demands both, and to send documented fields only.
    public var sendsDeviceHeadersEverywhere = false
    /// Whether the client's address goes on the calls for credentials and access tokens, too.
    ///
    /// On by default. Their reference does not have the field, but they are throttled by it: without it, a server has one call a second
    /// for all its devices.
    public var sendsClientAddressOnRegistration = true

    /// Of how many devices the access tokens are kept in memory, for each application and origin: those that were called for
    /// last, until the token has ended; more only while they are in use.
    ///
    /// 10,000 by default. The token of another device is read from its record.
    public var rememberedDevices = 10_000

    /// Makes the default settings.
    public init() {}
}
#endif
