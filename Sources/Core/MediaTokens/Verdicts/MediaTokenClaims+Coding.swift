import EntitlementValues

extension MediaTokenClaims: Codable {
    /// The names of the wire, which `tve` and its service use, too.
    private enum CodingKeys: String, CodingKey {
        case sessionGUID, requestorID, resourceID, ttl, issued, expires, mvpdId, proxyMvpdId
    }

    /// Reads claims that were written before.
    ///
    /// They prove nothing: only a verifier says what is authentic.
    ///
    /// - Parameter decoder: Where they are.
    /// - Throws: `DecodingError` if a member is missing or has another type, or if `expires` is not the sum of `issued`
    ///   and `ttl`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sessionGUID: try container.decode(SessionGUID.self, forKey: .sessionGUID),
            requestor: try container.decode(RequestorID.self, forKey: .requestorID),
            resource: try container.decode(ResourceID.self, forKey: .resourceID),
            ttl: try container.decode(TimeToLive.self, forKey: .ttl),
            issued: try container.decode(Timestamp.self, forKey: .issued),
            mvpd: try container.decode(MVPDID.self, forKey: .mvpdId),
            proxyMVPD: try container.decodeIfPresent(MVPDID.self, forKey: .proxyMvpdId)
        )
        guard try container.decodeIfPresent(Timestamp.self, forKey: .expires) ?? expires == expires else {
            throw DecodingError.dataCorruptedError(
                forKey: .expires, in: container, debugDescription: "not the sum of issued and ttl")
        }
    }

    /// Writes the claims; instants and the TTL are milliseconds.
    ///
    /// - Parameter encoder: Where they go.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sessionGUID, forKey: .sessionGUID)
        try container.encode(requestor, forKey: .requestorID)
        try container.encode(resource, forKey: .resourceID)
        try container.encode(ttl, forKey: .ttl)
        try container.encode(issued, forKey: .issued)
        try container.encode(expires, forKey: .expires)
        try container.encode(mvpd, forKey: .mvpdId)
        try container.encodeIfPresent(proxyMVPD, forKey: .proxyMvpdId)
    }
}
