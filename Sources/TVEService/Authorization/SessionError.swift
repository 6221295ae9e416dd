#if Service
import MediaTokens

/// Says why a playback session does not grant access.
enum SessionError: Error {
    /// The text is not a playback session.
    case malformed
    /// The key that signed the session is not configured, or no longer.
    case unknownKey
    /// The signature does not match the session and the client's address.
    case altered
    /// The signature is good; the session's time is over.
    case expired
    /// Signature and time are good; the session is for another requestor.
    case otherRequestor
    /// Signature, time and requestor are good; the session is for another resource.
    case otherResource
    /// libcrypto failed; nothing is established.
    case undecided

    /// The codes that tokens do not have.
    static var ownCodes: [String] { [malformed, unknownKey, altered, expired].map(\.code) }

    var code: String {
        switch self {
        case .malformed: "bad_session"
        case .unknownKey: "retired_session_key"
        case .altered: "bad_session_signature"
        case .expired: "session_expired"
        // The same checks as for a token, and therefore the same codes.
        case .otherRequestor: "requestor_mismatch"
        case .otherResource: "resource_mismatch"
        case .undecided: "internal"
        }
    }

    var status: MediaTokenStatus {
        switch self {
        case .malformed: .invalidTokenFormat
        case .unknownKey, .altered: .invalidSignature
        case .expired: .tokenExpired
        case .otherRequestor: .invalidRequestorID
        case .otherResource: .invalidResourceID
        case .undecided: .errorUnknown
        }
    }
}
#endif
