import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import PlaybackSessions
import TVETesting
import TestVectors
import TextCodecs

/// Keys and sessions that the tests share.
enum Samples {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let issuerName = "play.example.org"

    static func secret(_ byte: UInt8, named name: String = "secret") throws -> SessionKey {
        try SessionKey([UInt8](repeating: byte, count: 32), named: name)
    }

    static func file(_ name: String) throws(PlaybackSessionError) -> SessionKey {
        try SessionKey(contentsOfFile: Vectors.key(name))
    }

    static func bytes(ofKey name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: Vectors.key(name))))
    }

    static let privateRSA = "test-only-issuer-2048.pkcs8.pem"
    static let publicRSA = "test-only-issuer-2048.spki.pem"
    static let privateP256 = "p256/test-only-session.pkcs8.pem"
    static let publicP256 = "p256/test-only-session.spki.pem"

    /// One key of each algorithm.
    static func key(_ algorithm: SessionAlgorithm) throws -> SessionKey {
        switch algorithm {
        case .hs256: try secret(7)
        case .rs256: try file(privateRSA)
        case .es256: try file(privateP256)
        }
    }

    static func lifetimes(_ session: TimeToLive = .minutes(5), ceiling: TimeToLive = .hours(8)) throws
        -> SessionLifetimes
    {
        try SessionLifetimes(session: session, ceiling: ceiling)
    }

    static func issuer(_ keys: SessionKey..., lifetimes: SessionLifetimes? = nil) throws -> PlaybackSessionIssuer {
        try PlaybackSessionIssuer(
            keys: SessionKeys(keys), name: issuerName, lifetimes: lifetimes ?? Samples.lifetimes())
    }

    static func verifier(_ keys: SessionKey...) throws -> PlaybackSessionVerifier {
        try PlaybackSessionVerifier(keys: SessionKeys(keys), issuer: .exactly(issuerName))
    }

    static func session(
        _ resource: ResourceID = "REF30",
        subscriber: SessionGUID = "0123456789abcdef0123456789abcdef",
        client: SessionClient = .unbound,
        at now: Timestamp = now
    ) throws -> PlaybackSession {
        PlaybackSession(
            id: try .random(), requestor: "REF30", resource: resource, mvpd: "TestMVPD", subscriber: subscriber,
            issued: now, expires: now + .minutes(5), ceiling: now + .hours(8), client: client)
    }

    /// A verified media token for the resource that ``expectations(_:client:)`` names.
    static func token(issued: Timestamp) throws -> VerifiedMediaToken {
        let issuer = try TestMediaTokenIssuer(key: SigningKey(contentsOfFile: Vectors.key(privateRSA)))
        let text = try issuer.issueText(TestTokenClaims(requestor: "REF30", resource: "REF30", issued: issued))
        let keys = try VerificationKeys(contentsOf: [Vectors.key(publicRSA)])
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly("REF30"))
        return try MediaTokenVerifier(keys: keys).verify(text, expecting: expectations, at: issued)
    }

    static func expectations(_ resource: ResourceID = "REF30", client: SessionClient = .unbound)
        -> PlaybackExpectations
    {
        PlaybackExpectations(requestor: "REF30", resource: .exactly(resource), client: client)
    }
}

extension PlaybackSessionVerifier {
    /// The code of the outcome.
    func code(
        _ text: String,
        expecting expectations: PlaybackExpectations = Samples.expectations(),
        at now: Timestamp = Samples.now
    ) -> String {
        do throws(PlaybackSessionError) {
            _ = try verify(text, expecting: expectations, at: now)
            return "valid"
        } catch {
            return error.code
        }
    }
}
