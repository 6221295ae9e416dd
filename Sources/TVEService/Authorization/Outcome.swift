#if Service
import TextCodecs
import MediaTokens
import OpenSSLBridge

/// The answer to one request for access.
struct Outcome: Sendable {
    /// By what access was asked for.
    enum Means: String, Sendable, CaseIterable {
        case token, session, nothing
    }

    let status: MediaTokenStatus
    let code: String
    let means: Means
    /// The text that was presented; only its digest is ever shown.
    let presented: String?
    /// What access was given to, where it was.
    let grant: PlaybackSession?

    /// Codes that no verifier has: what can be wrong with a request before, or instead of, a token.
    static let ownCodes = ["no_token", "two_tokens", "no_requestor", "no_resource"] + SessionFault.allCodes

    init(_ verdict: MediaTokenVerdict, of presented: String) {
        status = verdict.status
        code = verdict.code
        means = .token
        self.presented = presented
        grant = (try? verdict.result.get()).map { PlaybackSession($0, expires: $0.expires) }
    }

    init(_ session: PlaybackSession, of presented: String) {
        status = .validToken
        code = "valid"
        means = .session
        self.presented = presented
        grant = session
    }

    init(_ fault: SessionFault, of presented: String) {
        self.init(refusing: fault.status, fault.code, means: .session, of: presented)
    }

    init(
        refusing status: MediaTokenStatus,
        _ code: String,
        means: Means = .nothing,
        of presented: String? = nil
    ) {
        self.status = status
        self.code = code
        self.means = means
        self.presented = presented
        grant = nil
    }

    /// The start of SHA-256 of what was presented, which tells texts apart and cannot be turned back into one.
    var digest: String? { presented.flatMap(shortDigest) }
}

/// The first 16 hexadecimal digits of SHA-256 of a text; `nil` where libcrypto could not compute it.
func shortDigest(of text: String) -> String? {
    text.withBytes { bytes in
        (try? Digest.sha256.hash(bytes, in: 0..<bytes.count)).map { Hex.encode($0.prefix(8)) }
    }
}
#endif
