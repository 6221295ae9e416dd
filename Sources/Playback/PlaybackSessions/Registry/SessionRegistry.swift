public import EntitlementValues
public import SealedRecords

/// Revokes playback sessions, and counts and limits the streams of each subscriber.
///
/// ```swift
/// let registry = try SessionRegistry(in: store, streamLimit: 3)
/// try await registry.start(issued.session)       // before the token is redeemed and the text is handed out
/// try await registry.check(verified)             // where the service is asked
/// try await registry.revoke(subscriber: guid)
/// ```
///
/// A revocation takes effect at once where ``check(_:)`` is called, and at edges that check sessions by themselves when
/// the session ends: that is why sessions should be short, and renewed.
///
/// Nothing grows without bound: a mark of a revoked session ends with the session's ceiling, the record of a subscriber
/// with its last stream or ``keptTime`` after a revocation, and a record holds at most ``maximumStreamLimit`` streams.
///
/// The store holds no text of a session and nothing that opens a stream: the names of subscribers and sessions are hashed,
/// and records hold IDs and instants. So records are not sealed unless a sealer is given. All processes that share a
/// store must use the same sealer, since each looks for records in places of its own.
public struct SessionRegistry: Sendable {
    /// How many streams may be allowed to a subscriber.
    public static let maximumStreamLimit = 100
    /// How long a revocation is kept whose sessions are not known: until even the longest of them has ended.
    public static let keptTime = TimeToLive(
        milliseconds: SessionLifetimes.maximumCeiling.milliseconds + margin.milliseconds)
    /// How often a change is tried at least before it fails as `.contended`; less often if that takes longer than a minute.
    public static let minimumAttempts = ChangeAttempts.minimum
    /// How long a change is tried at least before it fails as `.contended`: fast attempts may all be lost within a moment
    /// in which other processes change the record, too.
    public static let patience = ChangeAttempts.patience
    /// How long after the revocation of a subscriber's sessions, and the second that it falls in, a new one may begin: longer
    /// if the store takes longer.
    public static let revocationMargin = TimeToLive.seconds(2)
    /// How often a revocation is written at most, if each takes longer than its margin.
    private static let maximumRevocations = 4
    /// How much longer than its session a revocation is kept, since clocks differ and verifiers may have a leeway.
    private static let margin = TimeToLive.hours(1)

    /// How many streams a subscriber may play at the same time; `nil` if they are not counted.
    public let streamLimit: Int?

    private let subscribers: SealedTable<SubscriberRecord>
    private let time: TimeSource

    /// Makes a registry.
    ///
    /// - Parameters:
    ///   - store: Where revocations and streams are kept.
    ///   - sealer: Makes the places of records, and seals them.
    ///   - streamLimit: How many streams a subscriber may play at the same time, 1 to 100; `nil` if they are not counted.
    ///   - time: By which sessions expire, and attempts wait.
    /// - Throws: `.unsuitable` for a limit out of range.
    public init(
        in store: any RecordStore,
        sealer: RecordSealer = .unsealed,
        streamLimit: Int?,
        time: TimeSource = .system
    ) throws(PlaybackSessionError) {
        if let streamLimit, !(1...Self.maximumStreamLimit).contains(streamLimit) {
            throw .unsuitable(.streamLimit(streamLimit))
        }
        subscribers = SealedTable(in: store, sealer: sealer, time: time)
        (self.streamLimit, self.time) = (streamLimit, time)
    }

    // MARK: Sessions

    /// Counts the stream of a new session.
    ///
    /// Call ``release(_:)`` if the session is not handed out after all.
    ///
    /// - Parameter session: The session.
    /// - Throws: `.tooManyStreams`; `.revoked` if the subscriber's sessions were revoked just now: try again a second
    ///   after ``revocationMargin``; `.store`, `.unusableRecord` or `.contended` if the store cannot tell.
    public func start(_ session: PlaybackSession) async throws(PlaybackSessionError) {
        try await count(session, replacing: session)
    }

    /// Checks that a session was not revoked.
    ///
    /// - Parameter session: The session.
    /// - Throws: `.revoked`; `.store` or `.unusableRecord` if the store cannot tell.
    public func check(_ session: VerifiedPlaybackSession) async throws(PlaybackSessionError) {
        try await checkMark(session.session.id)
        guard let record = try await record(of: session.session.subscriber) else { return }
        guard !record.isRevoked(session.session) else { throw .revoked }
    }

    /// Checks that a session was not revoked, and goes on counting its stream until its new end.
    ///
    /// A stream that is not counted, for example because there was no limit before, is counted from now on.
    ///
    /// - Parameters:
    ///   - session: The session as it was presented.
    ///   - renewed: The same session with its new end.
    /// - Throws: `.revoked`, `.tooManyStreams`; `.store`, `.unusableRecord` or `.contended` if the store cannot tell.
    public func renew(
        _ session: VerifiedPlaybackSession,
        as renewed: PlaybackSession
    ) async throws(PlaybackSessionError) {
        // What has ended takes no place again, and is told before what has no place any more.
        try await checkMark(session.session.id)
        try await count(renewed, replacing: session.session)
        // Who ends the session marks it before its stream is released, so that one of both sees the other.
        do throws(PlaybackSessionError) {
            try await checkMark(session.session.id)
        } catch {
            if case .revoked = error { try? await release(renewed) }
            throw error
        }
    }

    /// Ends a session before its time: it is revoked, and its stream counts no longer.
    ///
    /// - Parameter session: The session.
    /// - Throws: `.store`, `.unusableRecord` or `.contended`; end it again then.
    public func end(_ session: PlaybackSession) async throws(PlaybackSessionError) {
        try await revoke(session.id, until: session.ceiling)
        try await release(session)
    }

    /// Stops counting the stream of a session, which stays as good as it was.
    ///
    /// - Parameter session: A session that was not handed out.
    /// - Throws: `.store`, `.unusableRecord` or `.contended`; the stream counts until the session ends then.
    public func release(_ session: PlaybackSession) async throws(PlaybackSessionError) {
        guard streamLimit != nil else { return }
        try await change(session.subscriber, durability: .normal) { record in
            record.streams.removeAll { $0.id == session.id }
        }
    }

    // MARK: Revocation

    /// Revokes a session in all its texts.
    ///
    /// Its stream counts no longer: it gives its place back to the next session that needs one.
    ///
    /// - Parameters:
    ///   - id: The name of the session.
    ///   - ceiling: The session's ceiling; `nil` if it is not known.
    /// - Returns: Until when the revocation is kept.
    /// - Throws: `.store`; revoke it again then.
    @discardableResult
    public func revoke(
        _ id: PlaybackSessionID,
        until ceiling: Timestamp? = nil
    ) async throws(PlaybackSessionError) -> Timestamp {
        let end = ceiling.map { $0 + Self.margin } ?? time.now + Self.keptTime
        try await asking { subscribers throws(SealedTableError) in
            let key = try subscribers.key(of: id.description, for: .revokedSession)
            // What has ended by this clock would be no mark; another clock may be late.
            try await subscribers.mark(key, until: max(end, time.now + Self.margin))
        }
        return end
    }

    /// Revokes all sessions of a subscriber that were issued so far.
    ///
    /// Sessions that begin later are good, from ``revocationMargin`` on: so no renewal survives that another process was just
    /// about to write, or that has its time from a clock which is a little ahead.
    ///
    /// - Parameter subscriber: The subscriber, by the session GUID of the media tokens.
    /// - Returns: Until when the revocation is kept.
    /// - Throws: `.store`, `.unusableRecord` or `.contended`; revoke them again then.
    @discardableResult
    public func revoke(subscriber: SessionGUID) async throws(PlaybackSessionError) -> Timestamp {
        // A renewal that has read the record before this is written has its time from before, too. So the instant must not
        // lie before the writing; for a store that takes longer than the margin, the next one is longer.
        var margin = Self.revocationMargin
        for _ in 0..<Self.maximumRevocations {
            var (begun, instant) = (time.now, time.now)
            try await change(subscriber, durability: .full) { record in
                begun = time.now
                instant = begun + margin
                record.revokeAll(at: instant, until: instant + Self.keptTime)
            }
            if time.now <= instant { return instant + Self.keptTime }
            margin = TimeToLive(milliseconds: 2 * time.now.since(begun).milliseconds)
        }
        throw .contended(attempts: Self.maximumRevocations)
    }

    /// The streams of a subscriber that count now.
    ///
    /// - Parameter subscriber: The subscriber.
    /// - Returns: The names of the sessions, in the order in which they began.
    /// - Throws: `.store` or `.unusableRecord`.
    public func streams(of subscriber: SessionGUID) async throws(PlaybackSessionError) -> [PlaybackSessionID] {
        guard var record = try await record(of: subscriber) else { return [] }
        record.tidy(at: time.now)
        try await dropRevoked(from: &record)
        return record.streams.map(\.id)
    }

    private func record(of subscriber: SessionGUID) async throws(PlaybackSessionError) -> SubscriberRecord? {
        try await asking { subscribers throws(SealedTableError) in
            try await subscribers.entry(at: try subscribers.place(of: subscriber.rawValue))?.record
        }
    }

    // MARK: Changes

    private func checkMark(_ id: PlaybackSessionID) async throws(PlaybackSessionError) {
        guard try await !isMarked(id) else { throw .revoked }
    }

    private func isMarked(_ id: PlaybackSessionID) async throws(PlaybackSessionError) -> Bool {
        try await asking { subscribers throws(SealedTableError) in
            try await subscribers.version(at: try subscribers.key(of: id.description, for: .revokedSession)) != nil
        }
    }

    /// Takes their places from the streams of sessions that were revoked by their IDs.
    ///
    /// Who revokes an ID need not know whose session it is, so the mark alone is written then. A mark outlives its session:
    /// a stream that has one never counts again.
    private func dropRevoked(from record: inout SubscriberRecord) async throws(PlaybackSessionError) {
        var revoked: Set<PlaybackSessionID> = []
        for stream in record.streams {
            if try await isMarked(stream.id) { revoked.insert(stream.id) }
        }
        record.streams.removeAll { revoked.contains($0.id) }
    }

    /// Counts the stream of a session that is as `presented` until now.
    private func count(
        _ session: PlaybackSession,
        replacing presented: PlaybackSession
    ) async throws(PlaybackSessionError) {
        try await change(session.subscriber, durability: .normal) { record throws(PlaybackSessionError) in
            guard !record.isRevoked(presented) else { throw .revoked }
            guard let streamLimit else { return }
            // Only for a stream that finds no place: each mark is a question to the store.
            if record.isFull(for: session, upTo: streamLimit) { try await dropRevoked(from: &record) }
            try record.count(session, upTo: streamLimit)
        }
    }

    /// Changes the record of a subscriber, and tries again if others change it at the same time.
    ///
    /// If nothing changes, nothing is written.
    private func change(
        _ subscriber: SessionGUID,
        durability: RecordDurability,
        _ body: (inout SubscriberRecord) async throws(PlaybackSessionError) -> Void
    ) async throws(PlaybackSessionError) {
        let outcome = try await asking { subscribers throws(SealedTableError) -> Result<Void, PlaybackSessionError> in
            try await subscribers.change(at: try subscribers.place(of: subscriber.rawValue)) { found in
                let before = found?.record ?? SubscriberRecord()
                var record = before
                record.tidy(at: time.now)
                do throws(PlaybackSessionError) {
                    try await body(&record)
                } catch {
                    return .keep(.failure(error))
                }
                // A record that says nothing any more ends when it would have ended: another process may be about to
                // change it.
                guard record != before, let end = record.end ?? found?.stored.expires else {
                    return .keep(.success(()))
                }
                return .write(record, until: end, durability: durability, answer: .success(()))
            }
        }
        try outcome.get()
    }

    /// Asks the table, whose errors are those of the registry.
    private func asking<Answer>(
        _ body: (SealedTable<SubscriberRecord>) async throws(SealedTableError) -> Answer
    ) async throws(PlaybackSessionError) -> Answer {
        do throws(SealedTableError) {
            return try await body(subscribers)
        } catch {
            throw PlaybackSessionError(error)
        }
    }
}

extension PlaybackSessionError {
    fileprivate init(_ error: SealedTableError) {
        self =
            switch error {
            case .store(let error): .store(error)
            case .sealing(let error), .opening(let error): .unusableRecord(reason: error.description)
            case .damaged(_, let reason): .unusableRecord(reason: reason)
            case .misplaced: .unusableRecord(reason: "it is another subscriber's")
            case .newerSchema(let found, let known):
                .unusableRecord(reason: "it has form \(found), and this release reads up to \(known)")
            case .contended(let attempts), .cancelled(let attempts): .contended(attempts: attempts)
            }
    }
}
