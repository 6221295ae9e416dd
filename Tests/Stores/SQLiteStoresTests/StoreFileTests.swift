import EntitlementValues
import Foundation
import SQLiteStores
import TestVectors
import Testing
import TokenLifetimes
import TokenRedemption

/// What the file of a store must be, and what happens with other files.
@Suite struct StoreFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("used.sqlite")
    }

    /// Opens a store that is patient enough for a busy machine.
    private func store(at path: String) throws(SQLiteStoreError) -> SQLiteReplayStore {
        try SQLiteReplayStore(path: path, patience: .seconds(60))
    }

    private func code(_ path: String) -> String? {
        do throws(SQLiteStoreError) {
            _ = try store(at: path)
            return nil
        } catch {
            return error.code
        }
    }

    private func redeem(_ path: String, _ number: Int) async throws -> Redemption {
        try await store(at: path).redeem(.numbered(number), until: .now + .minutes(22), at: .now)
    }

    /// Redeems, and waits until the store has closed its file, which it does after the answer on a thread of its own.
    private func redeemAndClose(_ number: Int) async throws -> Redemption {
        let answer = try await redeem(path, number)
        try await eventually("a closed file") { !FileManager.default.fileExists(atPath: path + "-wal") }
        return answer
    }

    @Test(arguments: ["", ":memory:", "a\u{0}b"])
    func `A path that names no file is refused`(_ path: String) {
        #expect(throws: SQLiteStoreError.unusablePath(path)) { try SQLiteReplayStore(path: path) }
        #expect(throws: SQLiteStoreError.unusablePath(path)) { try SQLiteLedgerStore(path: path) }
    }

    @Test func `A name that looks like an address is a file`() async throws {
        #expect(code(folder.path("file:x?mode=memory")) == nil)
        #expect(FileManager.default.fileExists(atPath: folder.path("file:x?mode=memory")))
    }

    @Test func `Places where no file can be are refused`() throws {
        #expect(code(folder.url.path) == "cannot_open")
        #expect(code(folder.path("missing/used.sqlite")) == "cannot_open")
        #expect(code("/dev/null") == "cannot_open")
        #expect(code("/proc/used.sqlite") == "cannot_open")
    }

    @Test func `A path is shown without what a terminal obeys`() {
        let error = #expect(throws: SQLiteStoreError.self) {
            try SQLiteReplayStore(path: folder.path("missing\u{1B}[2J\n/used.sqlite"))
        }
        #expect(error?.description.contains("missing\\u{1b}[2J\\u{a}/used.sqlite cannot be used: ") == true)
        #expect(error?.description.contains("; give a path ") == true)
    }

    @Test func `The files are for their owner alone`() async throws {
        let store = try store(at: path)
        _ = try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now)
        for name in [path, path + "-wal", path + "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now) == .seen)
    }

    @Test(arguments: ["no database", String(repeating: "x", count: 5000)])
    func `A file that is no database is left as it is`(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(code(path) == "not_a_database")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `An empty file becomes a store`() async throws {
        try Data().write(to: URL(filePath: path))
        #expect(try await redeem(path, 1) == .first)
    }

    @Test func `A store of another kind is left as it is`() throws {
        do { _ = try SQLiteLedgerStore(path: path) }
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(code(path) == "other_store")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let used = folder.path("tokens.sqlite")
        do { _ = try SQLiteReplayStore(path: used) }
        let error = #expect(throws: SQLiteStoreError.otherStore(path: used, holds: .usedTokens)) {
            try SQLiteLedgerStore(path: used)
        }
        #expect(error?.description.contains("holds used tokens; open it with SQLiteReplayStore") == true)
    }

    /// The header of a database holds its user version at 60 and its application ID at 68, big-endian.
    @Test(arguments: [
        (63, 2, "newer_version"), (60, 0x7F, "newer_version"), (63, 0, "damaged"), (60, 0x80, "damaged"),
        (71, 0, "other_application"), (68, 0, "other_application"),
    ])
    func `The header says what the file is`(_ place: Int, _ byte: UInt8, _ expected: String) async throws {
        _ = try await redeemAndClose(1)
        try change { $0[place] = byte }
        #expect(code(path) == expected)
    }

    @Test func `A database of something else is left as it is`() async throws {
        _ = try await redeemAndClose(1)
        try change { bytes in for place in 60..<72 { bytes[place] = 0 } }
        #expect(code(path) == "other_application")
    }

    @Test(arguments: [100, 4096, 5000, 9000])
    func `A file that was cut off is not taken for a store`(_ length: Int) async throws {
        _ = try await redeemAndClose(1)
        try change { $0 = $0.prefix(length) }
        // It is refused when it is opened, or at the first redemption.
        await #expect(throws: (any Error).self) { try await redeem(path, 1) }
    }

    @Test func `A file with other tables is not taken for a store`() async throws {
        _ = try await redeemAndClose(1)
        try change { bytes in
            while let place = bytes.firstRange(of: Data("forgotten".utf8)) {
                bytes.replaceSubrange(place, with: Data("forgetten".utf8))
            }
        }
        #expect(code(path) == "altered")
    }

    private func change(_ body: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        body(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    /// A file that is opened by several names is one store.
    @Test func `A symbolic link leads to the same store`() async throws {
        let store = try store(at: path)
        _ = try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now)
        let link = folder.path("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try await redeem(link, 1) == .seen)
        #expect(try await redeem(link, 2) == .first)
        #expect(try await store.redeem(.numbered(2), until: .now + .minutes(22), at: .now) == .seen)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("dangling"), withDestinationPath: folder.path("nowhere"))
        #expect(code(folder.path("dangling")) == "cannot_open")
    }

    /// SQLite keeps a log for each name, so a store under one name would not see the redemptions under the other.
    @Test func `A second hard link is refused`() async throws {
        _ = try await redeem(path, 1)
        try FileManager.default.linkItem(atPath: path, toPath: folder.path("second.sqlite"))
        #expect(code(path) == "cannot_open")
        #expect(code(folder.path("second.sqlite")) == "cannot_open")
    }

    @Test func `A file that was removed or replaced does not answer`() async throws {
        let store = try store(at: path)
        _ = try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now)
        try FileManager.default.removeItem(atPath: path)
        await #expect(throws: ReplayStoreError.self) {
            try await store.redeem(.numbered(2), until: .now + .minutes(22), at: .now)
        }
        try Data().write(to: URL(filePath: path))
        await #expect(throws: ReplayStoreError.self) {
            try await store.redeem(.numbered(2), until: .now + .minutes(22), at: .now)
        }
    }

    @Test func `A file that is locked for too long does not answer`() async throws {
        let store = try SQLiteReplayStore(path: path, patience: TimeToLive(milliseconds: 50))
        let kind = StoreFile.Kind(applicationID: 0x7476_6552, version: 1, tables: [])
        let other = try StoreFile(path: path, kind: kind, patience: .zero, survivesPowerLoss: false)
        try other.run("BEGIN IMMEDIATE")
        let answer = await Result.of { () throws(ReplayStoreError) in
            try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now)
        }
        #expect(throws: ReplayStoreError.self) { try answer.get() }
        #expect("\(answer)".contains("lock"))
        try other.run("ROLLBACK")
        #expect(try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now) == .first)
    }

    /// Otherwise each group of redemptions would wait for the lock anew.
    @Test func `Redemptions that wait behind others are refused in time too`() async throws {
        let store = try store(at: path)
        let kind = StoreFile.Kind(applicationID: 0x7476_6552, version: 1, tables: [])
        let other = try StoreFile(path: path, kind: kind, patience: .zero, survivesPowerLoss: false)
        try other.run("BEGIN IMMEDIATE")
        let redeemer = try Redeemer(path, folder, count: 5000, atOnce: 5000, patience: 1)
        let answers = try await redeemer.answers().map(\.answer)
        #expect(answers.count == 5000)
        #expect(answers.allSatisfy { $0.hasPrefix("unavailable") })
        #expect(answers.contains { $0.contains("the redemptions before this one waited in vain") })
        try other.run("ROLLBACK")
        #expect(try await store.redeem(.numbered(1), until: .now + .minutes(22), at: .now) == .first)
    }

    // MARK: Files that others made

    private static let otherKinds = [
        "CREATE TRIGGER forget AFTER INSERT ON redemption BEGIN DELETE FROM redemption; END",
        "CREATE VIEW v AS SELECT 1", "CREATE TABLE other (x)", "CREATE INDEX i ON redemption (until)",
        "ALTER TABLE redemption ADD COLUMN x INTEGER", "ALTER TABLE forgotten RENAME TO claimed",
    ]

    /// A file with such a trigger lets each token pass for ever.
    @Test(arguments: otherKinds)
    func `A database that somebody altered is refused`(_ statement: String) async throws {
        #expect(try await redeem(path, 1) == .first)
        let other = try StoreFile(path: path, kind: Self.anyTables, patience: .minutes(1), survivesPowerLoss: false)
        try other.run("ANALYZE")
        #expect(try await redeem(path, 1) == .seen, "statistics change nothing")
        try other.run(statement)
        #expect(code(path) == "altered")
    }

    @Test func `A table whose key replaces is refused`() throws {
        let kind = StoreFile.Kind(
            applicationID: 0x7476_6552, version: 1,
            tables: [
                """
                CREATE TABLE redemption (id BLOB NOT NULL PRIMARY KEY ON CONFLICT REPLACE, until INTEGER NOT NULL,
                ends INTEGER NOT NULL) STRICT, WITHOUT ROWID
                """,
                "CREATE INDEX redemption_ends ON redemption (ends)",
                "CREATE TABLE forgotten (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL) STRICT",
            ])
        _ = try StoreFile(path: path, kind: kind, patience: .minutes(1), survivesPowerLoss: false)
        #expect(code(path) == "altered")
    }

    /// Its redemptions were claims, which this version does not read; the user of a file may go back to 0.2.
    @Test func `A file of used tokens of version 0.2 is refused and left as it is`() throws {
        let kind = StoreFile.Kind(
            applicationID: 0x7476_6552, version: 1,
            tables: [
                """
                CREATE TABLE claim (id BLOB NOT NULL PRIMARY KEY, until INTEGER NOT NULL, ends INTEGER NOT NULL)
                STRICT, WITHOUT ROWID
                """,
                "CREATE INDEX claim_ends ON claim (ends)",
                "CREATE TABLE forgotten (only INTEGER PRIMARY KEY CHECK (only = 1), through INTEGER NOT NULL) STRICT",
            ])
        let file = try StoreFile(path: path, kind: kind, patience: .minutes(1), survivesPowerLoss: false)
        try file.run("INSERT INTO claim (id, until, ends) VALUES (x'01', 2, 3)")
        #expect(code(path) == "altered")
        var ends: [Int64] = []
        try file.run("SELECT until, ends FROM claim WHERE id = x'01'") { row in
            for case .integer(let end) in row { ends.append(end) }
        }
        #expect(ends == [2, 3])
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func `A file that every user may change is refused`(_ ending: String) async throws {
        #expect(try await redeemAndClose(1) == .first)
        let file = path + ending
        if !ending.isEmpty { try Data().write(to: URL(filePath: file)) }
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        #expect(code(path) == "cannot_open")
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: file)
        #expect(try await redeemAndClose(1) == .seen, "a volume may be shared with a group")
    }

    @Test(.enabled(if: geteuid() == 0, "only root makes files of other users"), arguments: ["", "-wal"])
    func `A stranger's file in a shared folder is refused`(_ ending: String) async throws {
        #expect(try await redeemAndClose(1) == .first)
        let file = path + ending
        if !ending.isEmpty { try Data().write(to: URL(filePath: file)) }
        try FileManager.default.setAttributes([.ownerAccountID: 4711], ofItemAtPath: file)
        #expect(try await redeemAndClose(1) == .seen, "only who manages the folder can have put it there")
        if !ending.isEmpty { try Data().write(to: URL(filePath: file)) }
        try FileManager.default.setAttributes([.ownerAccountID: 4711], ofItemAtPath: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.url.path)
        #expect(code(path) == "cannot_open")
    }

    private static let anyTables = StoreFile.Kind(applicationID: 0x7476_6552, version: 1, tables: [])

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func `A file that may only be read is refused`() async throws {
        _ = try await redeemAndClose(1)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        #expect(code(path) == "cannot_open")
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func `A folder that may only be read is refused`() async throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        #expect(code(path) == "cannot_open")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
}

extension Result where Failure == ReplayStoreError {
    fileprivate static func of(_ body: () async throws(ReplayStoreError) -> Success) async -> Self {
        do throws(ReplayStoreError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
