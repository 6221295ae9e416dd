public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Verifies the texts of playback sessions.
///
/// The checks run in a fixed order: size, parts, the key that the header names, signature, claims and their spelling,
/// `iat`, `exp`, issuer, requestor, resource, client. The first that fails is the error. Whether a session was revoked is
/// asked of a ``SessionRegistry``.
///
/// A verifier never changes and can be used by many tasks at once; to rotate keys, make another one.
public struct PlaybackSessionVerifier: Sendable {
    /// The keys, any of which may have signed a session.
    public let keys: SessionKeys
    /// The name of the service whose sessions are accepted (`iss`).
    public let issuer: Expectation<String>
    /// How long after its end a session is still accepted; zero unless set.
    public let leeway: TimeToLive
    /// How far in the future a session may have been issued, since clocks differ; 60 s unless set.
    public let futureTolerance: TimeToLive

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - keys: The keys, any of which may have signed a session.
    ///   - issuer: The name of the service whose sessions are accepted.
    ///   - leeway: How long after its end a session is still accepted: 0 to 10 minutes.
    ///   - futureTolerance: How far in the future a session may have been issued: 0 to 10 minutes.
    /// - Throws: `.unsuitable` for a tolerance out of range or an empty expectation.
    public init(
        keys: SessionKeys,
        issuer: Expectation<String>,
        leeway: TimeToLive = .zero,
        futureTolerance: TimeToLive = .seconds(60)
    ) throws(PlaybackSessionError) {
        for tolerance in [leeway, futureTolerance] {
            guard TimeToLive.zero...TimeToLive.minutes(10) ~= tolerance else {
                throw .unsuitable(.tolerance(tolerance))
            }
        }
        guard issuer.isWellFormed else { throw .unsuitable(.empty(field: "expected issuer")) }
        (self.keys, self.issuer, self.leeway, self.futureTolerance) = (keys, issuer, leeway, futureTolerance)
    }

    /// Verifies a session.
    ///
    /// - Parameters:
    ///   - text: The text as the client presented it.
    ///   - expectations: What the session must be for.
    ///   - now: The instant at which it must be good.
    /// - Returns: The session.
    /// - Throws: `PlaybackSessionError`, the first check that failed.
    public func verify(
        _ text: String,
        expecting expectations: PlaybackExpectations,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedPlaybackSession {
        try text.withBytes { bytes throws(PlaybackSessionError) in
            try verify(bytes, expecting: expectations, at: now)
        }
    }

    /// Verifies a session given as bytes.
    ///
    /// - Parameters:
    ///   - bytes: The text as the client presented it.
    ///   - expectations: What the session must be for.
    ///   - now: The instant at which it must be good.
    /// - Returns: The session.
    /// - Throws: `PlaybackSessionError`, the first check that failed.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: PlaybackExpectations,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedPlaybackSession {
        guard expectations.requestor.isWellFormed, expectations.resource.isWellFormed else {
            throw .undecided(reason: "an expected value is empty; to leave the check out, use .unchecked")
        }
        let (key, claims) = try signed(bytes)
        let session = claims.session(of: expectations.client)
        guard session.issued <= now + futureTolerance else {
            throw .notYetValid(issued: session.issued, now: now)
        }
        guard now < session.expires + leeway else { throw .expired(at: session.expires, now: now) }
        guard issuer.accepts(text: claims.issuer) else { throw .otherIssuer }
        guard expectations.requestor.accepts(session.requestor) else {
            throw .otherRequestor(expected: expectations.requestor.expected, presented: session.requestor)
        }
        guard expectations.resource.accepts(session.resource) else {
            throw .otherResource(expected: expectations.resource.expected, presented: session.resource)
        }
        try key.check(claims, isFor: expectations.client)
        return VerifiedPlaybackSession(session: session, keyID: key.id)
    }

    /// Checks the form and the signature.
    private func signed(_ bytes: Span<UInt8>) throws(PlaybackSessionError) -> (SessionKey, SessionClaims) {
        let text = try SessionText(bytes)
        guard let key = keys.keys.first(where: { text.hasHeader($0.header, in: bytes) }) else {
            throw text.headerFault(in: bytes, knownIDs: keys.ids)
        }
        let signed = Array(copying: bytes.extracting(text.signedRange))
        guard try PlaybackSessionError.mapping(key.material.isValid(text.signature, of: signed)) else {
            throw .badSignature
        }
        return (key, try SessionClaims(reading: text.payload))
    }
}

/// Spells out what a presented session must be for.
///
/// All parts are always given: to leave a check of an identifier out, say `.unchecked`.
public struct PlaybackExpectations: Sendable {
    /// The brands whose resources may be played (`aud`).
    public var requestor: Expectation<RequestorID>
    /// The resources that may be played.
    public var resource: Expectation<ResourceID>
    /// The client that presents the session.
    ///
    /// With an address, only sessions bound to it pass; with ``SessionClient/unbound``, only those that are not bound.
    public var client: SessionClient

    /// Spells out the parts.
    ///
    /// - Parameters:
    ///   - requestor: The brands whose resources may be played.
    ///   - resource: The resources that may be played.
    ///   - client: The client that presents the session.
    public init(requestor: Expectation<RequestorID>, resource: Expectation<ResourceID>, client: SessionClient) {
        (self.requestor, self.resource, self.client) = (requestor, resource, client)
    }
}

/// A playback session that passed all checks of a ``PlaybackSessionVerifier``, which alone makes such values.
public struct VerifiedPlaybackSession: Sendable, Hashable {
    /// What the session allows.
    public let session: PlaybackSession
    /// The name of the key that signed it.
    public let keyID: String

    init(session: PlaybackSession, keyID: String) { (self.session, self.keyID) = (session, keyID) }
}
