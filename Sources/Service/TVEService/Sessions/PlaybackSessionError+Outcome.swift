#if Service
import MediaTokens
import PlaybackSessions
import SealedRecords

extension PlaybackSessionError {
    /// The codes of sessions that tokens do not have, for the metrics.
    static let ownCodes = [
        "bad_session", "retired_session_key", "bad_session_signature", "session_not_yet_valid", "session_expired",
        "session_issuer_mismatch", "session_client_mismatch", "session_revoked", "too_many_streams",
        "session_record_damaged", "session_record_contended", "record_store_unavailable", "record_store_full",
        "unsuitable_session",
    ]

    /// Whether the session may be good, and only the store of revocations cannot tell.
    var isOfStore: Bool {
        switch self {
        case .store, .unusableRecord, .contended: true
        default: false
        }
    }
}
#endif
