#if Service
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import TextCodecs

/// Where a request comes from: the address by which the broker counts, and by which one provider signs a household in.
///
/// It is never what the app says of itself. Without `broker.clientAddressHeader` it is the other end of the connection;
/// with it, it is the entry that the last trusted proxy added to that header field.
struct ClientConnection: Sendable {
    /// The address.
    let address: ClientAddress
    /// The port; `nil` if the proxy does not tell it.
    let port: UInt16?
    /// What requests are counted by: the address, and of IPv6 the network of 64 bits, of which each household has one.
    let countedNetwork: String

    /// Finds out where a request comes from; the settings say which header fields the trusted proxy writes.
    ///
    /// Throws if the proxy does not say it, or says it in a way that clients could have made up.
    init(
        of request: Request,
        on channel: any Channel,
        by settings: ServiceSettings.Gateway
    ) throws(RequestError) {
        guard let header = settings.clientAddressHeader else {
            guard let end = channel.remoteAddress, let address = IPAddress(end.ipAddress ?? "") else {
                throw .noClientAddress("the connection has no address")
            }
            self.init(address, port: end.port.flatMap { UInt16(exactly: $0) })
            return
        }
        let stated = try rethrowing(request.headers.client(statedIn: header)) { (fault: StatedClientFault) in
            RequestError.noClientAddress(fault.detail)
        }
        let named = settings.clientPortHeader.flatMap { request.headers.onlyValue(of: $0) }
        self.init(stated.address, port: named.flatMap { IPEndpoint.port($0.utf8) } ?? stated.port)
    }

    private init(_ address: IPAddress, port: UInt16?) {
        (self.address, self.port, countedNetwork) = (ClientAddress(address), port, address.network)
    }
}

extension RequestError {
    static func noClientAddress(_ detail: String) -> RequestError {
        RequestError(.badRequest, "no_client_address", detail: detail)
    }
}
#endif
