#if Client
import BrokerMessages

extension Broker {
    /// Describes the call that registers an application for a device; nothing is sent.
    ///
    /// - Parameters:
    ///   - request: The software statement.
    ///   - device: The device.
    ///   - clientAddress: The client's address, by which the broker counts requests.
    /// - Returns: A call that brings credentials, and that carries no access token.
    /// - Throws: `BrokerError.request`.
    func registrationCall(
        _ request: RegistrationRequest,
        for device: Device,
        at clientAddress: ClientAddress?
    ) throws(BrokerError) -> BrokerCall<ClientCredentials> {
        try readingCall(.register, RequestForm(body: request), known: KnownFields(of: device, at: clientAddress))
    }

    /// Describes the call that brings an access token; nothing is sent.
    ///
    /// The credentials stand in the body, never in the address.
    ///
    /// - Parameters:
    ///   - request: The credentials.
    ///   - device: The device.
    ///   - clientAddress: The client's address, by which the broker counts requests.
    /// - Returns: A call that brings an access token, and that carries none.
    /// - Throws: `BrokerError.request`.
    func tokenCall(
        _ request: AccessTokenRequest,
        for device: Device,
        at clientAddress: ClientAddress?
    ) throws(BrokerError) -> BrokerCall<AccessToken> {
        try readingCall(.token, RequestForm(body: request), known: KnownFields(of: device, at: clientAddress))
    }
}
#endif
