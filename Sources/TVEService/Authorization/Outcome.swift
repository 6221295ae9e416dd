#if Service
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import TextCodecs

/// The answer to one request for access.
struct Outcome: Sendable {
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
    /// `nil` if access was refused.
    let grant: AccessGrant?

    /// The codes that the service adds to those of the verifier.
    static let ownCodes = RequestRefusal.allCodes + SessionError.ownCodes

    init(_ verdict: MediaTokenVerdict, of presented: String) {
        status = verdict.status
        code = verdict.code
        credential = .token
        self.presented = presented
        grant = (try? verdict.result.get()).map { AccessGrant($0) }
    }

    init(_ session: PlaybackSession, of presented: String) {
        status = .validToken
        code = "valid"
        credential = .session
        self.presented = presented
        grant = AccessGrant(session)
    }

    init(_ error: SessionError, of presented: String) {
        status = error.status
        code = error.code
        credential = .session
        self.presented = presented
        grant = nil
    }

    init(_ refusal: RequestRefusal) {
        status = refusal.status
        code = refusal.rawValue
        credential = .nothing
        presented = nil
        grant = nil
    }

    /// The start of the SHA-256 of what was presented, which identifies it without revealing it.
    var digest: String? { presented.flatMap(shortDigest) }
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
func shortDigest(of text: String) -> String? {
    text.withBytes { bytes in
        (try? Digest.sha256.hash(bytes, in: 0..<bytes.count)).map { Hex.encode($0.prefix(8)) }
    }
}
#endif
