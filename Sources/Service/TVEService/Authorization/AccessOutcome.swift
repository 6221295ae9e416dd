#if Service
import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import PlaybackSessions
import TextCodecs

/// The answer to one request for access.
struct AccessOutcome: Sendable {
    /// What the client presented to get access.
    enum Credential: String, Sendable, CaseIterable {
        case token, session, nothing
    }

    let status: MediaTokenStatus
    /// The stable name of the outcome: `valid`, or the code of the first check that failed.
    let code: String
    let credential: Credential
    /// The token or session as it was presented; only its digest is ever shown.
    let presented: String?
    /// SHA-256 of the bytes that were signed, if that is known already.
    private(set) var signedDigest: SHA256Digest?
    /// `nil` if access was refused.
    let grant: AccessGrant?

    /// Whether it cannot be decided now: a later answer may be another one.
    var isUndecided: Bool { status == .errorUnknown }
    /// Whether access is refused for good.
    var isRefusal: Bool { grant == nil && !isUndecided }

    /// The codes that the service adds to those of the verifier.
    static let ownCodes = RequestRefusal.allCodes + PlaybackSessionError.ownCodes

    /// Takes the verdict on a token, given as it was presented, and the session that is started for it, if any.
    init(_ verdict: MediaTokenVerdict, of presented: String, starting session: PlaybackSessionID? = nil) {
        status = verdict.status
        code = verdict.code
        credential = .token
        self.presented = presented
        signedDigest = verdict.signedDigest
        var grant = (try? verdict.result.get()).map { AccessGrant($0) }
        grant?.session = session
        self.grant = grant
    }

    init(_ grant: AccessGrant, of presented: String) {
        status = .validToken
        code = "valid"
        credential = .session
        self.presented = presented
        self.grant = grant
    }

    /// Grants what a token of the broker grants, which was verified and used up already.
    init(_ grant: AccessGrant, byTokenOfBroker presented: String) {
        (status, code, credential) = (.validToken, "valid", .token)
        (self.presented, self.grant) = (presented, grant)
    }

    /// Refuses a token of the broker.
    init(byTokenOfBroker error: MediaTokenError) {
        (status, code, credential) = (error.status, error.code, .token)
        (presented, grant) = (nil, nil)
    }

    /// Refuses a session, or a good token for which no session can be started.
    init(_ error: PlaybackSessionError, of presented: String, as credential: Credential = .session) {
        status = error.status
        code = error.code
        self.credential = credential
        self.presented = presented
        grant = nil
    }

    /// Cannot decide on a session, given as it was presented: no key that signs sessions is left.
    init(undecidedWithoutKeys presented: String) {
        let error = MediaTokenError.undecided(.noKeys)
        (status, code, credential) = (error.status, error.code, .session)
        (self.presented, grant) = (presented, nil)
    }

    init(_ refusal: RequestRefusal) {
        status = refusal.status
        code = refusal.rawValue
        credential = .nothing
        presented = nil
        grant = nil
    }

    /// The start of the SHA-256 of the bytes that were signed, which identifies a token or session without revealing it.
    ///
    /// Of a text in which nothing is signed, it is that of the text.
    var digest: String? {
        if let signedDigest { return Self.start(of: signedDigest) }
        guard let presented else { return nil }
        if credential == .session {
            // A session is signed up to its last dot.
            let signed = presented.lastIndex(of: ".").map { presented[..<$0] } ?? presented[...]
            return shortDigest(of: String(signed))
        }
        return UnverifiedMediaToken.signedDigest(of: presented).map(Self.start) ?? shortDigest(of: presented)
    }

    private static func start(of digest: SHA256Digest) -> String {
        Hex.encode((0..<8).map { UInt8(truncatingIfNeeded: digest.words.0 >> (56 - 8 * $0)) })
    }
}

/// Says why a request was refused before a token or session was looked at.
enum RequestRefusal: String, Error, CaseIterable {
    /// The header field with the requestor is missing, empty or repeated.
    case noRequestor = "no_requestor"
    /// The header field with the resource is missing, empty or repeated, or no rule matches the path.
    case noResource = "no_resource"
    /// The request has neither a token nor a session.
    ///
    /// Not `no_token`, which is the code of a decision that came without a token.
    case noCredential = "no_credential"
    /// The request has more than one token.
    case twoTokens = "two_tokens"

    static var allCodes: [String] { allCases.map(\.rawValue) }

    var status: MediaTokenStatus {
        switch self {
        case .noRequestor: .invalidRequestorID
        case .noResource: .invalidResourceID
        case .noCredential, .twoTokens: .invalidTokenFormat
        }
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of a string; `nil` if libcrypto failed.
package func shortDigest(of text: String) -> String? { digest(of: text, bytes: 8) }

/// Writes the hexadecimal digits of the first bytes of the SHA-256 of a string; `nil` if libcrypto failed.
func digest(of text: String, bytes count: Int = 32) -> String? {
    text.withBytes { bytes in
        (try? Digest.sha256.hash(bytes, in: 0..<bytes.count)).map { Hex.encode($0.prefix(count)) }
    }
}

/// What a request may access, and until when: taken from a good token or from a good playback session.
struct AccessGrant: Sendable {
    let resource: ResourceID
    let mvpd: MVPDID
    let sessionGUID: SessionGUID
    let expires: Timestamp
    let requestor: RequestorID
    /// The key that signed it: the label of a token's, the name of a session's.
    let key: String
    /// The playback session; `nil` for a token that starts none.
    var session: PlaybackSessionID?

    init(_ token: VerifiedMediaToken) {
        (resource, mvpd, sessionGUID, expires) = (token.resource, token.mvpd, token.sessionGUID, token.expires)
        (requestor, key) = (token.requestor, token.key.label)
    }

    init(_ verified: VerifiedPlaybackSession) {
        let session = verified.session
        (resource, mvpd, sessionGUID) = (session.resource, session.mvpd, session.subscriber)
        (expires, requestor, key, self.session) = (session.expires, session.requestor, verified.keyID, session.id)
    }
}
#endif
