import OpenSSLBridge
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

extension SessionKey {
    /// How many bytes of the keyed hash are kept: as many as an ID has.
    private static let clientHashLength = 16

    /// Hides the address of a client: HMAC-SHA-256 of the session's ID and the address, cut to 16 bytes.
    ///
    /// The ID is part of it so that two sessions do not show that they are of one client. The address counts in its one
    /// spelling, without a port. Without an address, there is no hash.
    ///
    /// Throws `.clientNotCheckable` for a public key; `.unsuitable` for a text that is not an address; `.undecided`.
    func hash(of client: SessionClient, in id: PlaybackSessionID) throws(PlaybackSessionError) -> [UInt8]? {
        guard case .address(let text) = client else { return nil }
        guard !text.isEmpty else { throw .unsuitable(.empty(field: "address of the client")) }
        guard let address = client.ipAddress else { throw .unsuitable(.clientAddress) }
        return try hash(of: address, in: id)
    }

    private func hash(of address: IPAddress, in id: PlaybackSessionID) throws(PlaybackSessionError) -> [UInt8] {
        guard let clientKey else { throw .clientNotCheckable }
        // The ID has a fixed length, so no byte can move from one to the other.
        let message = id.bytes + Array(address.text.utf8)
        let code = try PlaybackSessionError.mapping(clientKey.code(of: message))
        return Array(code.prefix(Self.clientHashLength))
    }

    /// Checks that a session, whose signature is good, is bound to the client that presents it, or to none.
    ///
    /// Throws `.otherClient`, `.clientNotCheckable` or `.undecided`.
    func check(_ claims: SessionClaims, isFor client: SessionClient) throws(PlaybackSessionError) {
        switch (claims.client, client) {
        case (nil, .unbound): return
        case (nil, .address), (_?, .unbound): throw .otherClient
        case (let presented?, .address):
            // A text that is not an address is what the proxy sent, and not a mistake of the verifier's owner.
            guard let address = client.ipAddress else { throw .otherClient }
            let expected = Base64.encodeURLSafe(try hash(of: address, in: claims.id))
            guard isEqualInConstantTime(Array(presented.utf8), Array(expected.utf8)) else { throw .otherClient }
        }
    }
}
