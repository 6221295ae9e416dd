#if Client
public import BrokerMessages
import DeviceRecords
import EntitlementValues

/// A device on whose behalf the broker is called, and what is known of its user; all calls are its methods.
///
/// Which of its values go on a call, the endpoint says. A caller is made for a request that is served, and costs little:
/// all callers of a device share its registration.
///
/// The first call registers the device and stores its credentials before it uses them. From then on they are the
/// device's: if they are lost or made anew, all of its logins end. So nothing is ever registered anew by itself: if the
/// broker refuses the credentials, calls throw ``BrokerError/registration(_:)``, and the application decides whether to
/// ``forgetRegistration(after:)``.
///
/// An access token is used until a minute before its end, by all processes that share the records, and until its end if no
/// new one can be had. Calls that need a new one at the same time wait for one request.
public struct Caller: Sendable {
    /// The broker that is called.
    public let broker: Broker
    /// The device, with what it says of itself now.
    public let device: Device
    /// The client's address, by which the broker counts requests; `nil` puts them into the count of this server itself.
    public let clientAddress: ClientAddress?
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

    /// Has the device's access token: the same for all callers of the device, and kept as long as there is one.
    package let registration: ClientRegistration
    /// The access token that the application brought along; `nil` for a device that is registered here.
    fileprivate(set) var borrowed: BearerToken?
}

extension Broker {
    /// The caller for a device; nothing is sent.
    ///
    /// - Parameters:
    ///   - device: The device, with what it says of itself now.
    ///   - address: The device's address on the internet, as the connection or your own proxy says it.
    /// - Returns: The caller.
    /// - Throws: `BrokerError.request` with ``RequestFault/badClientAddress``: without the address, the device would count
    ///   as this server itself.
    public func caller(_ device: Device, from address: String) throws(BrokerError) -> Caller {
        caller(device, from: try Self.clientAddress(address))
    }

    /// The caller for a device; nothing is sent.
    ///
    /// - Parameters:
    ///   - device: The device, with what it says of itself now.
    ///   - address: The device's address on the internet; `nil` puts requests into the count of this server itself, which
    ///     has one a second for all of its devices.
    /// - Returns: The caller.
    public func caller(_ device: Device, from address: ClientAddress?) -> Caller {
        Caller(
            broker: self, device: device, clientAddress: address,
            registration: registrations.registration(of: device.key, at: time.uptime))
    }

    /// The caller for a device whose application has an access token of its own, and lends it; nothing is sent.
    ///
    /// For an application that speaks to the broker itself, and leaves only a decision to this server. The caller registers
    /// nothing, stores nothing and renews nothing, and the device's key is not used. What the broker answers belongs to the
    /// client of the token and to the device's identifier, so both have to be the application's own, unchanged.
    ///
    /// Its calls throw ``BrokerError/borrowedTokenRefused`` if the broker does not take the token: the application renews it
    /// and asks again. Those that are about a registration throw `BrokerError.request` with
    /// ``RequestFault/borrowedToken``.
    ///
    /// - Parameters:
    ///   - token: The access token, whose form is checked already; what it says is not looked at.
    ///   - device: The device, with the identifier that the application sends, and what it says of itself.
    ///   - address: The device's address on the internet, as the connection or your own proxy says it.
    /// - Returns: The caller.
    /// - Throws: `BrokerError.request` with ``RequestFault/badClientAddress``.
    public func caller(
        borrowing token: BearerToken,
        _ device: Device,
        from address: String
    ) throws(BrokerError) -> Caller {
        caller(borrowing: token, device, from: try Self.clientAddress(address))
    }

    /// The caller for a device whose application has an access token of its own, and lends it; nothing is sent.
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - device: The device, with the identifier that the application sends, and what it says of itself.
    ///   - address: The device's address on the internet; `nil` puts requests into the count of this server itself.
    /// - Returns: The caller.
    public func caller(borrowing token: BearerToken, _ device: Device, from address: ClientAddress?) -> Caller {
        // A registration that no table holds: callers of the same key know nothing of each other.
        Caller(
            broker: self, device: device, clientAddress: address, registration: ClientRegistration(), borrowed: token)
    }

    private static func clientAddress(_ text: String) throws(BrokerError) -> ClientAddress {
        try rethrowing(ClientAddress(text)) { (_: BrokerHeaderError) in BrokerError.request(.badClientAddress) }
    }

    /// Takes note of what a device's record holds: an access token whose credentials are gone from it is not used any
    /// more.
    ///
    /// Another process may have forgotten them, or registered the device anew. Callers that were made before share
    /// that: they go on as the client that is registered then.
    ///
    /// The record is as it was read just now; `nil` if the device has none. `erasures` is how many records this process
    /// had erased before it was read, which spares calls a look of their own; `nil` if that is not known.
    package func note(_ record: DeviceRecord?, of device: DeviceKey, after erasures: Int? = nil) {
        registrations.known(of: device)?.note(record?.registrations[scope]?.credentials, after: erasures)
    }
}
#endif
