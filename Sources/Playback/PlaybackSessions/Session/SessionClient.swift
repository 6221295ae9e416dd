package import TextCodecs

/// The client that a playback session is bound to.
public enum SessionClient: Sendable, Hashable {
    /// The session is good for every client that has its text.
    case unbound
    /// The session is good for one client address, as the trusted proxy writes it: of IPv4 or IPv6, in brackets or not,
    /// with a port or not.
    ///
    /// Every spelling of an address is the same client, and the port does not count: each connection of a client has
    /// another one. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. Nothing can be bound to any
    /// other text, such as `unknown`.
    case address(String)

    /// Compares addresses, and the bytes of texts that are none.
    public static func == (one: SessionClient, other: SessionClient) -> Bool {
        switch (one, other) {
        case (.unbound, .unbound): true
        case (.address(let text), .address(let otherText)):
            text.hasSameBytes(as: otherText) || one.ipAddress != nil && one.ipAddress == other.ipAddress
        default: false
        }
    }

    /// Hashes the address, or the bytes of a text that is none.
    public func hash(into hasher: inout Hasher) {
        if case .address(let text) = self { hasher.combine(bytesOf: ipAddress?.text ?? text) }
    }

    /// The address; `nil` if there is none, or the text is not one.
    package var ipAddress: IPAddress? {
        if case .address(let text) = self { IPEndpoint(text)?.address } else { nil }
    }
}

extension SessionClient: CustomStringConvertible, CustomReflectable {
    /// Whether there is an address; never the address, which leads to a person.
    public var description: String { self == .unbound ? "unbound" : "bound to an address" }

    /// Shows no address.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
