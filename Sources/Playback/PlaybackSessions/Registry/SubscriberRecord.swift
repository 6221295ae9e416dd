import EntitlementValues
import SealedRecords
import TextCodecs

/// What is kept of a subscriber's sessions: until when all were revoked, and the streams that are counted.
struct SubscriberRecord: Equatable, SealedRecord {
    /// A stream that counts.
    struct Stream: Equatable {
        let id: PlaybackSessionID
        let expires: Timestamp
    }

    /// All sessions that were issued up to this instant are revoked; `nil` if there was no such revocation.
    var revokedUpTo: Timestamp?
    /// The first instant at which the revocation says nothing more, since all those sessions have ended.
    var revocationEnd: Timestamp?
    /// The streams, in the order in which they began.
    var streams: [Stream] = []

    static let purpose: RecordPurpose = .playbackSubscriber
    static let schema: UInt32 = 1

    /// Whether a session was revoked together with all others of the subscriber.
    func isRevoked(_ session: PlaybackSession) -> Bool { revokedUpTo.map { session.issued <= $0 } ?? false }

    /// The first instant at which the record says nothing more; `nil` if it says nothing.
    var end: Timestamp? { (streams.map(\.expires) + [revocationEnd].compactMap(\.self)).max() }

    /// Drops what has ended, so that a record never grows beyond the streams that play.
    mutating func tidy(at now: Timestamp) {
        streams.removeAll { $0.expires <= now }
        if let end = revocationEnd, end <= now { (revokedUpTo, revocationEnd) = (nil, nil) }
    }

    /// Whether the stream of a session has no place, and finds none.
    func isFull(for session: PlaybackSession, upTo limit: Int) -> Bool {
        streams.count >= limit && !streams.contains { $0.id == session.id }
    }

    /// Counts a stream, or moves the end of one that is counted already.
    ///
    /// - Parameters:
    ///   - session: The session of the stream.
    ///   - limit: How many streams may be counted.
    /// - Throws: `.revoked` or `.tooManyStreams`.
    mutating func count(_ session: PlaybackSession, upTo limit: Int) throws(PlaybackSessionError) {
        let stream = Stream(id: session.id, expires: session.expires)
        if let index = streams.firstIndex(where: { $0.id == session.id }) {
            streams[index] = stream
        } else {
            guard streams.count < limit else { throw .tooManyStreams(limit: limit) }
            streams.append(stream)
        }
    }

    /// Revokes all sessions that were issued so far; their streams count no longer.
    mutating func revokeAll(at now: Timestamp, until end: Timestamp) {
        revokedUpTo = max(revokedUpTo ?? now, now)
        revocationEnd = max(revocationEnd ?? end, end)
        streams = []
    }

    // MARK: Form

    /// The record in JSON; instants are milliseconds.
    var encoded: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        if let revokedUpTo, let revocationEnd {
            object.member("revokedUpTo", revokedUpTo.milliseconds)
            object.member("revocationEnd", revocationEnd.milliseconds)
        }
        object.member("streams", objects: streams) { stream, object in
            object.member("id", stream.id.description)
            object.member("expires", stream.expires.milliseconds)
        }
        return object.finished
    }

    init() {}

    init(decoding text: Span<UInt8>) throws(JSONFault) {
        let object = try JSONObject(text, in: 0..<text.count)
        revokedUpTo = try object.instant("revokedUpTo", in: text)
        revocationEnd = try object.instant("revocationEnd", in: text)
        for stream in try object.objects("streams", in: text) {
            let id = PlaybackSessionID(text: try stream.requiredIdentifier("id", in: text))
            let expires = try stream.requiredInstant("expires", in: text)
            streams.append(Stream(id: try stream.required("id", id), expires: expires))
        }
    }

    /// The record names no subscriber.
    func belongs(to subscriber: String) -> Bool { true }
}

extension RecordPurpose {
    /// Marks of sessions that were revoked.
    static let revokedSession: RecordPurpose = "revoked-playback-session"
    /// The streams and revocations of subscribers.
    static let playbackSubscriber: RecordPurpose = "playback-subscriber"
}
