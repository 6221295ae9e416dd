#if CLI
import EntitlementValues
import PlaybackSessions
import SealedRecords

extension EdgeRow {
    private static let early = Timestamp(milliseconds: 1_780_000_000_000)
    private static let late = Timestamp(milliseconds: 1_780_000_600_000)

    /// Playback sessions.
    static let sessions: [EdgeRow] = [
        EdgeRow(
            "PlaybackSessionError.unusableKey",
            PlaybackSessionError.unusableKey(file: "s.key", code: "key_too_small", reason: "too small"), ends: 78,
            "key_too_small", "s.key: too small"),
        EdgeRow(
            "PlaybackSessionError.noKeys", PlaybackSessionError.noKeys, ends: 78, "no_key",
            "there are no session keys; make one with: (umask 077 && openssl rand -out FILE 32)"),
        EdgeRow(
            "PlaybackSessionError.cannotSign", PlaybackSessionError.cannotSign, ends: 78, "cannot_sign",
            "the first session key is a public key, which only verifies; put a private key or a secret first"),
        EdgeRow(
            "PlaybackSessionError.unsuitable", PlaybackSessionError.unsuitable(.malformedID), ends: 64,
            "unsuitable_session", "the ID of a session has 22 characters of Base64url, and no other text is one"),
        EdgeRow(
            "PlaybackSessionError.tooLarge", PlaybackSessionError.tooLarge(limit: 9), ends: 64, "bad_session",
            "longer than the 9 bytes that the text of a session or a grant may have"),
        EdgeRow(
            "PlaybackSessionError.malformed", PlaybackSessionError.malformed(.header), ends: 69, "bad_session",
            "not a playback session: the header is not that of a session, or its algorithm is not its key's"),
        EdgeRow(
            "PlaybackSessionError.unknownKey", PlaybackSessionError.unknownKey, ends: 69, "retired_session_key",
            "signed with a key that is not in the ring, or no longer; get a new session"),
        EdgeRow(
            "PlaybackSessionError.badSignature", PlaybackSessionError.badSignature, ends: 69, "bad_session_signature",
            "the session was changed, or signed with another key"),
        EdgeRow(
            "PlaybackSessionError.notYetValid", PlaybackSessionError.notYetValid(issued: late, now: early), ends: 69,
            "session_not_yet_valid",
            """
            good from 2026-05-28T20:36:40Z, 10 min after now (2026-05-28T20:26:40Z): it is for later, or this \
            machine's clock or the issuer's is wrong
            """),
        EdgeRow(
            "PlaybackSessionError.expired", PlaybackSessionError.expired(at: early, now: late), ends: 69,
            "session_expired",
            "expired at 2026-05-28T20:26:40Z, 10 min before now (2026-05-28T20:36:40Z); get a new session"),
        EdgeRow(
            "PlaybackSessionError.otherIssuer", PlaybackSessionError.otherIssuer, ends: 69, "session_issuer_mismatch",
            "another service issued the session"),
        EdgeRow(
            "PlaybackSessionError.otherRequestor", PlaybackSessionError.otherRequestor(expected: ["A"], presented: "B"),
            ends: 69, "requestor_mismatch", "the session is for the requestor \"B\", not for \"A\""),
        EdgeRow(
            "PlaybackSessionError.otherResource", PlaybackSessionError.otherResource(expected: ["A"], presented: "B"),
            ends: 69, "resource_mismatch", "the session is for the resource \"B\", not for \"A\""),
        EdgeRow(
            "PlaybackSessionError.otherAudience", PlaybackSessionError.otherAudience, ends: 69, "requestor_mismatch",
            "the grant is for another audience"),
        EdgeRow(
            "PlaybackSessionError.otherPath", PlaybackSessionError.otherPath, ends: 69, "session_path_mismatch",
            "the session does not open the path of the request at this host"),
        EdgeRow(
            "PlaybackSessionError.otherClient", PlaybackSessionError.otherClient, ends: 69, "session_client_mismatch",
            "the session is not bound to this client; get a new session"),
        EdgeRow(
            "PlaybackSessionError.clientNotCheckable", PlaybackSessionError.clientNotCheckable, ends: 69,
            "session_client_mismatch",
            "the session is bound to a client, which a public key cannot check; verify with the private key"),
        EdgeRow(
            "PlaybackSessionError.revoked", PlaybackSessionError.revoked, ends: 69, "session_revoked",
            "the session was revoked; get a new session"),
        EdgeRow(
            "PlaybackSessionError.tooManyStreams", PlaybackSessionError.tooManyStreams(limit: 2), ends: 69,
            "too_many_streams", "the subscriber plays 2 streams already; end one of them first"),
        EdgeRow(
            "PlaybackSessionError.store", PlaybackSessionError.store(.unavailable(reason: "away")), ends: 69,
            "record_store_unavailable", "away"),
        EdgeRow(
            "PlaybackSessionError.unusableRecord", PlaybackSessionError.unusableRecord(reason: "cut off"), ends: 69,
            "session_record_damaged", "the record of a subscriber's sessions cannot be used: cut off"),
        EdgeRow(
            "PlaybackSessionError.contended", PlaybackSessionError.contended(attempts: 8), ends: 69,
            "session_record_contended", "other processes changed the subscriber's record 8 times; try again"),
        EdgeRow(
            "PlaybackSessionError.undecided", PlaybackSessionError.undecided(reason: "libcrypto failed"), ends: 69,
            "internal", "no decision could be made: libcrypto failed"),
    ]
}
#endif
