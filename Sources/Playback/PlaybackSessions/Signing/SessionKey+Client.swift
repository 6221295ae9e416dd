import OpenSSLBridge
import TextCodecs

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
        guard let clientKey else { throw .clientNotCheckable }
        // The ID has a fixed length, so no byte can move from one to the other.
        let message = id.bytes + Array(address.text.utf8)
        let code = try PlaybackSessionError.mapping { () throws(OpenSSLFailure) in
            try clientKey.code(of: message)
        }
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
            guard client.ipAddress != nil else { throw .otherClient }
            let expected = try hash(of: client, in: claims.id).map { Array(Base64.encodeURLSafe($0).utf8) } ?? []
            guard isEqualInConstantTime(Array(presented.utf8), expected) else { throw .otherClient }
        }
    }
}
