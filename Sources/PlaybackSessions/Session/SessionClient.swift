import TextCodecs

/// The client that a playback session is bound to.
public enum SessionClient: Sendable, Hashable {
    /// The session is good for every client that has its text.
    case unbound
    /// The session is good for one client address, as the trusted proxy writes it; texts compare byte by byte.
    case address(String)

    /// Compares the bytes of addresses.
    public static func == (one: SessionClient, other: SessionClient) -> Bool {
        switch (one, other) {
        case (.unbound, .unbound): true
        case (.address(let one), .address(let other)): one.hasSameBytes(as: other)
        default: false
        }
    }

    /// Hashes the bytes of the address.
    public func hash(into hasher: inout Hasher) {
        if case .address(let address) = self { hasher.combine(bytesOf: address) }
    }
}

extension SessionClient: CustomStringConvertible, CustomReflectable {
    /// Whether there is an address; never the address, which leads to a person.
    public var description: String { self == .unbound ? "unbound" : "bound to an address" }

    /// Shows no address.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
