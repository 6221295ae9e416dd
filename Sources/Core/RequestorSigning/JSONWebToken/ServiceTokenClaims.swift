public import EntitlementValues

/// The claims of a service token that is to be signed.
public struct ServiceTokenClaims: Sendable {
    /// The party that issues the token (`iss`).
    public var issuer: String
    /// The subject: the party or thing that the token is about (`sub`).
    public var subject: String
    /// The receivers that it is for (`aud`): one is written as a string, several as a list.
    public var audience: [String]
    /// How long it is valid, from the instant of signing: whole seconds, at most 366 days.
    public var lifetime: TimeToLive
    /// Further claims, written after the registered ones and in this order.
    public var extra: ClaimSet

    /// Sets the claims.
    ///
    /// - Parameters:
    ///   - issuer: The party that issues the token (`iss`).
    ///   - subject: The party or thing that the token is about (`sub`).
    ///   - audience: The receivers that it is for (`aud`).
    ///   - lifetime: How long it is valid: whole seconds, at most 366 days.
    ///   - extra: Further claims, written after the registered ones.
    public init(
        issuer: String,
        subject: String,
        audience: [String],
        lifetime: TimeToLive,
        extra: ClaimSet = [:]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.lifetime = lifetime
        self.extra = extra
    }
}

/// The claims that a service token always has, in the order in which they are written.
let serviceTokenClaimNames = ["iss", "sub", "aud", "iat", "exp", "jti"]

extension ServiceTokenClaims {
    /// Checks all values and makes the payload.
    ///
    /// Tokens have times in seconds, so the milliseconds of `now` are dropped.
    func members(at now: Timestamp, tokenID: String) throws(RequestorSigningError) -> ClaimSet {
        try checkSignable(issuer, as: "issuer")
        try checkSignable(subject, as: "subject")
        try checkSignable(tokenID, as: "token ID")
        guard !audience.isEmpty else { throw .unsuitable(field: "audience", .empty) }
        for one in audience { try checkSignable(one, as: "audience") }
        guard (TimeToLive.seconds(1)...TimeToLive.hours(366 * 24)).contains(lifetime),
            lifetime.milliseconds % 1000 == 0
        else { throw .unsuitableSetting(.lifetime(lifetime)) }
        guard now.milliseconds >= 0, now + lifetime <= .lastReadable else { throw .unsuitableSetting(.instant(now)) }
        for member in extra.members where serviceTokenClaimNames.contains(member.name) {
            throw .unsuitableClaim(name: member.name, .reserved)
        }
        let issued = now.milliseconds / 1000
        let audience: ClaimValue =
            audience.count == 1 ? .string(audience[0]) : .array(audience.map(ClaimValue.string))
        let registered: ClaimSet = [
            "iss": .string(issuer), "sub": .string(subject), "aud": audience,
            "iat": .number(issued), "exp": .number(issued + lifetime.milliseconds / 1000), "jti": .string(tokenID),
        ]
        return ClaimSet(registered.members + extra.members)
    }
}

extension Timestamp {
    /// The last millisecond of the year 9999; a later date is one in milliseconds that was read as seconds.
    static let lastReadable = Timestamp(milliseconds: 253_402_300_799_999)
}
