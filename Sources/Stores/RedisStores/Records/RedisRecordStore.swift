#if Redis
public import EntitlementKeys
public import EntitlementValues
public import SealedRecords
import TokenRedemption

/// Keeps records in a Redis or Valkey server, for all hosts that share it.
///
/// A record is replaced by a script that the server runs as one step, so of two changes of the same version one is made,
/// on whichever hosts they are. If the server cannot tell, every method throws, and nothing is retried.
///
/// A record that has expired by the clock of this store counts as absent. The server drops it a minute later, measured by
/// its own clock, so that hosts whose clocks differ a little see the same. What a server forgets when it stops or fails over says the
/// article <doc:WhatAServerForgets>; `RecordDurability` makes no difference.
///
/// Connections open with the first call, and again after they broke. After `fork`, a child needs a store of its own.
public struct RedisRecordStore: RecordStore {
    let pool: RedisPool
    let time: TimeSource
    private let process = ProcessGuard(isInUse: false)
    private let prefix: String

    /// How many bytes a reply may have: a record, or a page of keys.
    private static let maximumReply = 1 << 20

    /// Makes a store; connections open with the first call.
    ///
    /// - Parameters:
    ///   - address: The address of the server.
    ///   - password: The password of the address's user, or of the server's default user; `nil` for none.
    ///   - encryption: The files that an address of `rediss://` uses; they are read now.
    ///   - settings: How the server is used.
    ///   - time: Says which records have expired, and measures the time limit.
    ///   - onWarning: Receives what about the server could lose records. It runs on a thread of the store and should
    ///     return soon.
    /// - Throws: `RedisConfigurationError.badFile`, only if the address asks for encryption.
    public init(
        _ address: RedisAddress,
        password: KeyPassword? = nil,
        encryption: RedisEncryption = .system,
        settings: RedisPoolSettings = .standard,
        time: TimeSource = .system,
        onWarning: @escaping @Sendable (RedisWarning) -> Void = { _ in }
    ) throws(RedisConfigurationError) {
        pool = RedisPool(
            address, access: try RedisAccess(password: password, encryption: encryption, for: address),
            settings: settings, maximumReply: Self.maximumReply, time: time, onWarning: onWarning)
        self.time = time
        prefix = settings.prefix
    }

    /// Reads a record.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `RecordStoreError.unavailable` if the server cannot tell.
    public func record(at key: RecordKey) async throws(RecordStoreError) -> StoredRecord? {
        guard let bytes = try await text("GET", name(key)) else { return nil }
        guard let record = RecordForm.record(bytes) else { throw damaged }
        return record.expires > time.now ? record : nil
    }

    /// Reads the version of a record and nothing else.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: The version; `nil` if no record is stored.
    /// - Throws: `RecordStoreError.unavailable` if the server cannot tell.
    public func version(at key: RecordKey) async throws(RecordStoreError) -> Int64? {
        guard let head = try await head(at: key), head.expires > time.now else { return nil }
        return head.version
    }

    /// Writes a record if the one that is there has the expected version.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - version: The version that must be there; `nil` if no record may be there.
    ///   - record: The new record.
    ///   - durability: Makes no difference: the server's `appendfsync` decides.
    /// - Returns: Whether the record was written; `false` if another version is there.
    /// - Throws: `.tooLarge`, `.unusableVersion`; `.unavailable`, and the record may have been written.
    public func replace(
        at key: RecordKey,
        expecting version: Int64?,
        with record: StoredRecord,
        durability: RecordDurability
    ) async throws(RecordStoreError) -> Bool {
        try record.check()
        let expected = version.map(RecordForm.number) ?? []
        let reply = try await run(
            .replace, at: name(key), [expected, RecordForm.encode(record), milliseconds(until: record.expires)],
            expecting: [.okay, .status])
        switch reply {
        case .okay: return true
        case .status("STALE"): return false
        default: throw unavailable(.nonsense)
        }
    }

    /// Moves the end of a record to a later instant.
    ///
    /// - Parameters:
    ///   - key: Where the record is.
    ///   - expiry: The new end.
    /// - Throws: `RecordStoreError.unavailable`; the end may have been moved.
    public func extend(at key: RecordKey, until expiry: Timestamp) async throws(RecordStoreError) {
        _ = try await run(
            .extend, at: name(key), [RecordForm.number(expiry.milliseconds), milliseconds(until: expiry)],
            expecting: .okay)
    }

    /// Removes a record of any version.
    ///
    /// - Parameter key: Where the record is.
    /// - Returns: Whether there was a record.
    /// - Throws: `RecordStoreError.unavailable`; the record may have been removed.
    @discardableResult
    public func remove(at key: RecordKey) async throws(RecordStoreError) -> Bool {
        try await run(.remove, at: name(key), [], expecting: .number) == .number(1)
    }

    // MARK: Aliases

    /// Gives a record another name for some time.
    ///
    /// - Parameters:
    ///   - alias: The name.
    ///   - key: Where the record is.
    ///   - expiry: The first instant at which the name counts as absent.
    /// - Throws: `RecordStoreError.unavailable`; the name may have been given.
    public func put(
        alias: RecordKey,
        for key: RecordKey,
        until expiry: Timestamp
    ) async throws(RecordStoreError) {
        guard expiry > time.now else { return try await remove(alias: alias) }
        var command = RedisCommand.header("*", 5) + RedisCommand.word("SET") + RedisCommand.word(name(alias: alias))
        command += RedisCommand.word(RecordForm.encode(alias: key, until: expiry)) + RedisCommand.word("PX")
        command += RedisCommand.word(milliseconds(until: expiry))
        _ = try await ask(command, expecting: .okay)
    }

    /// Finds a record by another name.
    ///
    /// - Parameter alias: The name.
    /// - Returns: Where the record is, or was; `nil` if the name is unknown.
    /// - Throws: `RecordStoreError.unavailable` if the server cannot tell.
    public func key(of alias: RecordKey) async throws(RecordStoreError) -> RecordKey? {
        guard let bytes = try await text("GET", name(alias: alias)) else { return nil }
        guard let found = RecordForm.alias(bytes) else { throw damaged }
        return found.expires > time.now ? found.key : nil
    }

    /// Removes another name of a record.
    ///
    /// - Parameter alias: The name.
    /// - Throws: `RecordStoreError.unavailable`; the name may have been removed.
    public func remove(alias: RecordKey) async throws(RecordStoreError) {
        _ = try await ask(RedisCommand.encode(["DEL", name(alias: alias)]), expecting: .number)
    }

    // MARK: The server

    /// The prefix of the server's keys of records.
    var recordPrefix: String { "\(prefix)r:" }

    private func name(_ key: RecordKey) -> String { recordPrefix + key.description }
    private func name(alias: RecordKey) -> String { "\(prefix)a:\(alias)" }

    /// Reads what comes before the content of a record, which may have expired.
    func head(at key: RecordKey) async throws(RecordStoreError) -> RecordForm.Head? {
        guard let bytes = try await text("GETRANGE", name(key), "0", "\(RecordForm.headLength - 1)"), !bytes.isEmpty
        else { return nil }
        guard let head = RecordForm.head(bytes) else { throw damaged }
        return head
    }

    /// The milliseconds after which the server drops what ends at an instant; 0 if that has passed.
    private func milliseconds(until expiry: Timestamp) -> [UInt8] {
        let now = time.now
        return Array("\(expiry > now ? (expiry + .minutes(1)).since(now).milliseconds : 0)".utf8)
    }

    /// Runs a script; the server is given its text if it does not have it.
    private func run(
        _ script: RecordScript,
        at key: String,
        _ arguments: [[UInt8]],
        expecting replies: RedisReply.Kinds
    ) async throws(RecordStoreError) -> RedisReply {
        let arguments = [RecordForm.number(time.now.milliseconds)] + arguments
        try check()
        do throws(RedisFailure) {
            return try await pool.ask(script.call(key, arguments), expecting: replies)
        } catch {
            guard error == .answered("NOSCRIPT") else { throw unavailable(error) }
        }
        // The server ran nothing, so the same call again is not a second one.
        return try await ask(script.spelledOut(key, arguments), expecting: replies)
    }

    private func text(_ words: String...) async throws(RecordStoreError) -> [UInt8]? {
        let reply = try await ask(RedisCommand.encode(words), expecting: [.text, .null])
        if case .text(let bytes) = reply { return bytes }
        return nil
    }

    func ask(_ command: [UInt8], expecting replies: RedisReply.Kinds) async throws(RecordStoreError) -> RedisReply {
        try check()
        return try await rethrowing(awaiting: await pool.ask(command, expecting: replies), as: unavailable)
    }

    private func check() throws(RecordStoreError) {
        guard !process.isForked else { throw .unavailable(reason: ProcessGuard.reason) }
    }

    func unavailable(_ failure: RedisFailure) -> RecordStoreError {
        .unavailable(reason: "\(pool.connector.address) \(failure)")
    }

    private var damaged: RecordStoreError {
        .unavailable(
            reason: "\(pool.connector.address) has a value that is not a record; does another program use its prefix?")
    }
}
#endif
