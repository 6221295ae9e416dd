import EntitlementValues
import Foundation
import PlaybackSessions
import RecordChecks
import SQLiteStores
import SealedRecords
import Synchronization
import TVETesting
import Testing

/// Revocations and streams, in memory and in SQLite; the checks of all stores are in `RecordChecks`.
@Suite struct `The registry of sessions` {
    static let subscriber: SessionGUID = "0123456789abcdef0123456789abcdef"
    let time = ManualTime(at: Samples.now)
    let store: InMemoryRecordStore
    let key: SessionKey

    init() throws {
        store = InMemoryRecordStore(time: time.source)
        key = try Samples.secret(7)
    }

    private func registry(_ limit: Int? = nil, in other: (any RecordStore)? = nil) throws -> SessionRegistry {
        try SessionRegistry(in: other ?? store, streamLimit: limit, time: time.source)
    }

    private func verified(_ session: PlaybackSession) throws -> VerifiedPlaybackSession {
        let text = try Samples.issuer(key).issue(session).text
        return try Samples.verifier(key).verify(text, expecting: Samples.expectations(), at: session.issued)
    }

    private func session(subscriber: SessionGUID = subscriber) throws -> PlaybackSession {
        try Samples.session(subscriber: subscriber, at: time.now)
    }

    /// The code of what a call throws; `nil` if it throws nothing.
    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? PlaybackSessionError)?.code ?? "\(error)"
        }
    }

    // MARK: Revocation

    @Test func `Revokes one session in all its texts, and no other`() async throws {
        let registry = try registry()
        let (one, two) = try (verified(session()), verified(session()))
        try await registry.check(one)
        let end = try await registry.revoke(one.session.id)
        #expect(end == Samples.now + SessionRegistry.keptTime)
        #expect(await code { try await registry.check(one) } == "session_revoked")
        try await registry.check(two)
        time.advance(by: .minutes(4))
        let renewed = try verified(one.session.renewed(for: .standard, at: time.now))
        #expect(
            await code { try await registry.check(renewed) }
                == "session_revoked")
        #expect(
            await code {
                try await registry.renew(one, as: renewed.session)
            } == "session_revoked")
        // Kept until no text of the session can be good, then forgotten.
        time.advance(by: .hours(7 * 24))
        #expect(store.count == 1)
        time.advance(by: .hours(1))
        #expect(store.count == 0)
    }

    @Test func `Keeps the revocation of a known session as long as the session can last`() async throws {
        let registry = try registry()
        let session = try session()
        #expect(try await registry.revoke(session.id, until: session.ceiling) == session.ceiling + .hours(1))
        try await registry.revoke(session.id, until: session.ceiling)
        #expect(store.count == 1)
        time.set(session.ceiling)
        #expect(store.count == 1)
        time.set(session.ceiling + .hours(1))
        #expect(store.count == 0)
    }

    @Test func `Revokes all sessions of a subscriber, and none that begins later`() async throws {
        let registry = try registry()
        let old = try verified(session())
        let other = try verified(session(subscriber: "fedcba9876543210fedcba9876543210"))
        try await registry.revoke(subscriber: Self.subscriber)
        #expect(await code { try await registry.check(old) } == "session_revoked")
        try await registry.check(other)
        let sameSecond = try session()
        #expect(
            await code { try await registry.start(sameSecond) }
                == "session_revoked", "its instant cannot be told from that of the revocation")
        time.advance(by: .seconds(2))
        let tooEarly = try session()
        #expect(await code { try await registry.start(tooEarly) } == "session_revoked")
        time.advance(by: .seconds(1))
        let new = try session()
        try await registry.start(new)
        try await registry.check(verified(new))
        let renewed = new.renewed(for: .standard, at: time.now)
        try await registry.renew(verified(new), as: renewed)
        time.advance(by: SessionRegistry.keptTime)
        #expect(store.count == 0)
    }

    /// The revocation has read the record, and has not written it; however long that takes, the renewal comes in between.
    @Test(arguments: [TimeToLive.milliseconds(60), .seconds(5), .seconds(20)])
    func `No renewal survives that comes while all sessions are revoked`(taking duration: TimeToLive) async throws {
        let (observed, other) = (ObservedRecordStore(store), try registry())
        let old = try verified(session())
        // So that the renewal is of the next second.
        time.advance(by: .milliseconds(950))
        let renewed = Mutex<PlaybackSession?>(nil)
        observed.actOnce(.beforeWrite) { [time] in
            time.advance(by: duration)
            let later = old.session.renewed(for: .standard, at: time.now)
            try? await other.renew(old, as: later)
            renewed.withLock { $0 = later }
        }
        try await registry(in: observed).revoke(subscriber: Self.subscriber)
        let session = try #require(renewed.withLock { $0 })
        #expect(session.issued > old.session.issued)
        #expect(await code { try await other.check(verified(session)) } == "session_revoked")
    }

    @Test func `No renewal survives of a process whose clock is a second ahead`() async throws {
        let registry = try registry()
        let old = try verified(session())
        let renewed = old.session.renewed(for: .standard, at: time.now + .seconds(1))
        try await registry.renew(old, as: renewed)
        try await registry.revoke(subscriber: Self.subscriber)
        #expect(await code { try await registry.check(verified(renewed)) } == "session_revoked")
    }

    @Test func `A session that ends while it is renewed is not renewed, and counts no stream`() async throws {
        let clock = SkippingClock()
        let time = clock.source(from: Samples.now)
        let store = InMemoryRecordStore(time: time)
        let observed = ObservedRecordStore(store)
        let registry = try SessionRegistry(in: observed, streamLimit: 1, time: time)
        let other = try SessionRegistry(in: store, streamLimit: 1, time: time)
        let session = try session()
        try await registry.start(session)
        clock.advance(by: .seconds(240))
        let renewed = session.renewed(for: .standard, at: time.now)
        observed.actOnce(.beforeWrite) { try? await other.end(session) }
        #expect(await code { try await registry.renew(verified(session), as: renewed) } == "session_revoked")
        #expect(try await registry.streams(of: Self.subscriber).isEmpty)
    }

    /// After a clock was set back, a second revocation must not undo the first.
    @Test func `Does not forget a revocation when the clock is set back`() async throws {
        let registry = try registry()
        let session = try verified(session())
        time.advance(by: .minutes(1))
        try await registry.revoke(subscriber: Self.subscriber)
        time.set(Samples.now - .hours(1))
        try await registry.revoke(subscriber: Self.subscriber)
        #expect(
            await code { try await registry.check(session) }
                == "session_revoked")
    }

    // MARK: Streams

    /// Such records lie in stores: a member of another name or form would be lost, or refused.
    @Test func `The record of a subscriber has one form, to the letter`() async throws {
        let (registry, session) = try (registry(2), session())
        let key = try RecordSealer.unsealed.key(of: Self.subscriber.rawValue, for: "playback-subscriber")
        let header = Array("tve".utf8) + [0, 0, 0, 0, 1]
        try await registry.start(session)
        let playing = #"{"streams":[{"id":"\#(session.id)","expires":\#(session.expires.milliseconds)}]}"#
        #expect(store.record(at: key)?.bytes == header + Array(playing.utf8))
        let end = try await registry.revoke(subscriber: Self.subscriber)
        let instant = (end - SessionRegistry.keptTime).milliseconds
        let revoked = #"{"revokedUpTo":\#(instant),"revocationEnd":\#(end.milliseconds),"streams":[]}"#
        #expect(store.record(at: key)?.bytes == header + Array(revoked.utf8))
    }

    @Test func `Allows as many streams as its limit, and gives places back`() async throws {
        let registry = try registry(2)
        let sessions = try (0..<4).map { _ in try session() }
        try await registry.start(sessions[0])
        try await registry.start(sessions[1])
        try await registry.start(sessions[1])
        #expect(
            await code { try await registry.start(sessions[2]) }
                == "too_many_streams")
        try await registry.start(session(subscriber: "another"))
        #expect(try await registry.streams(of: Self.subscriber) == sessions[..<2].map(\.id))
        try await registry.end(sessions[0])
        try await registry.start(sessions[2])
        #expect(
            await code { try await registry.check(verified(sessions[0])) }
                == "session_revoked")
        try await registry.release(sessions[2])
        #expect(try await registry.streams(of: Self.subscriber) == [sessions[1].id])
        try await registry.check(verified(sessions[2]))
        try await registry.revoke(subscriber: Self.subscriber)
        #expect(try await registry.streams(of: Self.subscriber).isEmpty)
    }

    @Test func `A session that is revoked by its ID gives its place back, in memory and in SQLite`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-registry-\(UUID().uuidString)")
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: folder.path + suffix)
            }
        }
        let stores: [any RecordStore] = [
            store, try SQLiteRecordStore(path: folder.path, patience: .seconds(60), time: time.source),
        ]
        for store in stores {
            let registry = try registry(2, in: store)
            let sessions = try (0..<3).map { _ in try session() }
            try await registry.start(sessions[0])
            try await registry.start(sessions[1])
            try await registry.revoke(sessions[0].id)
            #expect(try await registry.streams(of: Self.subscriber) == [sessions[1].id])
            try await registry.start(sessions[2])
            #expect(try await registry.streams(of: Self.subscriber) == sessions[1...].map(\.id))
            #expect(await code { try await registry.start(session()) } == "too_many_streams")
            #expect(
                await code { try await registry.renew(verified(sessions[0]), as: sessions[0]) } == "session_revoked")
        }
    }

    @Test func `Looks for revoked sessions only if a new stream finds no place`() async throws {
        let observed = ObservedRecordStore(store)
        let registry = try registry(1, in: observed)
        let session = try session()
        try await registry.start(session)
        #expect(observed.calls == 2, "reads the record, and writes it")
        time.advance(by: .minutes(1))
        let renewed = session.renewed(for: .standard, at: time.now)
        try await registry.renew(verified(session), as: renewed)
        #expect(observed.calls == 2 + 4, "and looks for its own mark before and after that")
        try await registry.revoke(session.id)
        let before = observed.calls
        try await registry.start(self.session())
        #expect(observed.calls == before + 3, "reads the record, looks for the mark of the one stream, and writes")
    }

    @Test func `Counts a stream until its end, and longer if it is renewed`() async throws {
        let registry = try registry(1)
        let first = try session()
        try await registry.start(first)
        time.advance(by: .minutes(4))
        let renewed = first.renewed(for: .standard, at: time.now)
        try await registry.renew(verified(first), as: renewed)
        time.advance(by: .minutes(4))
        let second = try session()
        #expect(
            await code { try await registry.start(second) }
                == "too_many_streams")
        time.advance(by: .minutes(1))
        try await registry.start(second)
        // The first one has lost its place, and gets none by renewing late with another clock.
        #expect(
            await code {
                try await registry.renew(verified(renewed), as: renewed.renewed(for: .standard, at: time.now))
            } == "too_many_streams")
    }

    @Test func `Keeps no more of a subscriber than the streams that play`() async throws {
        let registry = try registry(SessionRegistry.maximumStreamLimit)
        for _ in 0..<300 {
            try await registry.start(session())
            time.advance(by: .seconds(10))
        }
        #expect(try await registry.streams(of: Self.subscriber).count == 30 - 1)
        #expect(store.count == 1)
        time.advance(by: .minutes(5))
        #expect(store.count == 0)
    }

    @Test func `Never allows more, however many ask at once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-registry-\(UUID().uuidString)")
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: folder.path + suffix)
            }
        }
        let stores: [any RecordStore] = try [
            InMemoryRecordStore(), SQLiteRecordStore(path: folder.path, patience: .seconds(60)),
            SQLiteRecordStore(path: folder.path, patience: .seconds(60)),
        ]
        for stores in [stores[..<1], stores[1...]] {
            let registries = try stores.map { try SessionRegistry(in: $0, streamLimit: 3) }
            let started = await withTaskGroup(of: Bool.self) { tasks in
                for number in 0..<12 {
                    tasks.addTask {
                        guard let session = try? Samples.session(at: .now) else { return false }
                        do throws(PlaybackSessionError) {
                            try await registries[number % registries.count].start(session)
                            return true
                        } catch {
                            #expect(error.code == "too_many_streams")
                            return false
                        }
                    }
                }
                return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(started == 3)
        }
    }

    // MARK: Stores

    @Test func `Says so if the store cannot tell`() async throws {
        let full = InMemoryRecordStore(capacity: 1, time: time.source)
        let registry = try registry(1, in: full)
        try await registry.revoke(try session().id)
        #expect(
            await code { try await registry.start(session()) }
                == "record_store_full")
    }

    @Test func `Counts a stream in the end that others came before a hundred times`() async throws {
        let time = SkippingClock.source(from: Samples.now)
        let contested = ObservedRecordStore(InMemoryRecordStore(time: time), losing: 100)
        let registry = try SessionRegistry(in: contested, streamLimit: 1, time: time)
        let session = try session()
        try await registry.start(session)
        #expect(try await registry.streams(of: Self.subscriber) == [session.id])
        #expect(contested.losses == 100)
    }

    @Test func `Gives up after its patience if others always come first`() async throws {
        let clock = SkippingClock()
        let contested = ObservedRecordStore(losing: .max)
        let registry = try SessionRegistry(in: contested, streamLimit: 1, time: clock.source(from: Samples.now))
        #expect(
            await code { try await registry.start(session()) }
                == "session_record_contended")
        // The pauses of so many attempts are shorter than that.
        #expect(clock.now.uptime >= SessionRegistry.patience && contested.losses > SessionRegistry.minimumAttempts)
    }

    @Test func `Refuses a record that is not one of its own`() async throws {
        let registry = try registry(1)
        try await registry.start(session())
        let place = try #require(store.summaries(after: nil, limit: 9).summaries.first?.key)
        let stored = try #require(store.record(at: place))
        let other = StoredRecord(bytes: [1, 2, 3], version: stored.version + 1, expires: stored.expires)
        #expect(try store.replace(at: place, expecting: stored.version, with: other, durability: .normal))
        #expect(
            await code { try await registry.check(verified(session())) }
                == "session_record_damaged")
    }

    @Test func `Keeps records and marks in the form that all releases share`() async throws {
        let registry = try registry(1)
        let session = try session()
        try await registry.start(session)
        try await registry.revoke(session.id, until: session.ceiling)
        let header = Array("tve".utf8) + [0, 0, 0, 0, 1]
        let place = try RecordSealer.unsealed.key(of: Self.subscriber.rawValue, for: "playback-subscriber")
        let record = try #require(store.record(at: place))
        let json = #"{"streams":[{"id":"\#(session.id)","expires":\#(session.expires.milliseconds)}]}"#
        #expect(record.bytes == header + Array(json.utf8))
        #expect(record.expires == session.expires && record.subject == nil)
        let name = try RecordSealer.unsealed.key(of: session.id.description, for: "revoked-playback-session")
        let mark = StoredRecord(bytes: header, version: 1, expires: session.ceiling + .hours(1))
        #expect(store.record(at: name) == mark)
    }

    @Test func `Shows neither subscribers nor sessions in its records' places`() async throws {
        let registry = try registry(1)
        let session = try session()
        try await registry.start(session)
        try await registry.revoke(session.id)
        for summary in store.summaries(after: nil, limit: 9).summaries {
            let text = String(decoding: store.record(at: summary.key)?.bytes ?? [], as: UTF8.self)
            #expect(!text.contains(Self.subscriber.rawValue))
            #expect(!text.contains(session.resource.rawValue))
        }
    }

    @Test(arguments: [0, -1, 101])
    func `Has a limit of 1 to 100`(_ limit: Int) {
        #expect(throws: PlaybackSessionError.unsuitable(.streamLimit(limit))) { try registry(limit) }
    }
}
