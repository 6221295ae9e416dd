package import TextCodecs

/// The address of the streaming device, `X-Forwarded-For`.
///
/// The broker limits how often each address may ask, so a server that leaves the header out shares one limit among all its
/// devices. The address is taken from the connection or from a trusted proxy, never from what the device says of itself:
/// at one provider the address alone signs a household in.
public struct ClientAddress: BrokerHeader {
    /// `X-Forwarded-For`.
    public static let name = "X-Forwarded-For"
    /// The longest text that is read, in bytes.
    public static let maximumLength = 45

    /// The address in its one spelling: IPv4 with dots, IPv6 as RFC 5952 writes it.
    ///
    /// An IPv4 address inside IPv6 (`::ffff:192.0.2.1`), as sockets for both report it, is the IPv4 address.
    public let text: String
    /// Whether it is an IPv6 address.
    public let isIPv6: Bool

    /// Takes an address.
    ///
    /// - Parameter ip: An IPv4 or IPv6 address without port, brackets or zone.
    /// - Throws: `.empty`, `.tooLong`, or `.unexpectedForm` if it is not one address.
    public init(_ ip: String) throws(BrokerHeaderError) {
        try HeaderText.checkLength(ip, of: Self.name, limit: Self.maximumLength)
        guard let address = IPAddress(ip) else {
            throw .unexpectedForm(header: Self.name, expected: "one IPv4 or IPv6 address without port or zone")
        }
        self.init(address)
    }

    /// Takes an address that was read already.
    package init(_ address: IPAddress) { (text, isIPv6) = (address.text, address.isIPv6) }

    /// Reads an address; a list of addresses is refused.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: As ``init(_:)``.
    public init(headerValue: String) throws(BrokerHeaderError) { try self.init(headerValue) }

    /// The address.
    public var headerValue: String { text }
}

extension ClientAddress: CustomStringConvertible, CustomReflectable {
    /// The words *client address*, not the address, which is personal data.
    public var description: String { "client address" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
