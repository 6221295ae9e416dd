#if Service
import BrokerMessages
import HTTPTypes
import Hummingbird
import NIOCore

/// Where a request comes from: the address by which the broker counts, and by which one provider signs a household in.
///
/// It is never what the app says of itself. Without `broker.clientAddressHeader` it is the other end of the connection;
/// with it, it is the entry that the last trusted proxy added to that header field.
struct ClientConnection: Sendable {
    /// The address.
    let address: ClientAddress
    /// The port; `nil` if the proxy does not tell it.
    let port: UInt16?

    /// Finds out where a request comes from.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - channel: Its connection.
    ///   - settings: Say which header fields the trusted proxy writes.
    /// - Throws: `GatewayRefusal` if the proxy does not say it, or says it in a way that clients could have made up.
    init(
        of request: Request,
        on channel: any Channel,
        by settings: ServiceSettings.Gateway
    ) throws(GatewayRefusal) {
        guard let header = settings.clientAddressHeader else {
            guard let end = channel.remoteAddress, let address = try? ClientAddress(end.ipAddress ?? "") else {
                throw .noClientAddress("the connection has no address")
            }
            (self.address, port) = (address, end.port.flatMap { UInt16(exactly: $0) })
            return
        }
        // A proxy that does not join the fields would leave open which of them it wrote.
        guard let value = request.headers.onlyValue(of: header),
            let last = value.split(separator: ",", omittingEmptySubsequences: false).last
        else {
            throw .noClientAddress("the header field with the client's address must occur exactly once")
        }
        let entry = last.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        guard let found = Self.address(String(entry)) else {
            throw .noClientAddress("the last entry of the header field with the client's address is not an address")
        }
        address = found.address
        let named = settings.clientPortHeader.flatMap { request.headers.onlyValue(of: $0) }.flatMap { UInt16($0) }
        port = named ?? found.port
    }

    /// Reads an address, with a port as some proxies add it: `192.0.2.1:4711` or `[2001:db8::1]:4711`.
    private static func address(_ text: String) -> (address: ClientAddress, port: UInt16?)? {
        if let address = try? ClientAddress(text) { return (address, nil) }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return bracketed(text[...]).map { ($0, nil) }
        }
        let host = text[..<colon]
        if let address = bracketed(host) { return (address, port) }
        guard let address = try? ClientAddress(String(host)), !address.isIPv6 else { return nil }
        return (address, port)
    }

    private static func bracketed(_ text: Substring) -> ClientAddress? {
        guard text.first == "[", text.last == "]" else { return nil }
        return try? ClientAddress(String(text.dropFirst().dropLast()))
    }

    /// What requests are counted by.
    var countedNetwork: String { address.countedNetwork }
}

extension ClientAddress {
    /// What requests are counted by: the address, and of IPv6 the network of 64 bits, of which each household has one.
    var countedNetwork: String {
        guard isIPv6 else { return text }
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let (before, after) = (halves[0].split(separator: ":"), halves.dropFirst().first?.split(separator: ":") ?? [])
        let zeros = Array(repeating: Substring("0"), count: max(0, 8 - before.count - after.count))
        return (before + zeros + after).prefix(4).joined(separator: ":")
    }
}

extension GatewayRefusal {
    static func noClientAddress(_ detail: String) -> GatewayRefusal {
        GatewayRefusal(.badRequest, "no_client_address", detail: detail)
    }
}
#endif
