import CLibrary
import CSQLite
import EntitlementValues
import HostSystem
import Synchronization

/// One connection to a database file; libsqlite3 is called in this file only.
///
/// The stores need a dozen statements in transactions, so they call libsqlite3 directly. GRDB would do it, too, and
/// much more; but the modules beside the core fetch no packages, and a store should not bring its user a second way to
/// use SQLite.
///
/// Transactions belong to the connection, so its owner must let only one thread at a time begin one.
@safe
final class SQLiteConnection: @unchecked Sendable {
    let path: String
    // Opened with SQLITE_OPEN_FULLMUTEX: libsqlite3 takes the connection's lock in every call, statements included.
    fileprivate let handle: OpaquePointer

    /// Opens a file that `SQLiteFile.prepare` has checked.
    ///
    /// `patience` is how long a step waits for other processes. Throws `.cannotOpen`, or `.unavailable` if it may
    /// succeed later.
    init(path: String, patience: TimeToLive) throws(SQLiteStoreError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else { throw SQLiteStoreError(path: path, systemError: ENOMEM) }
        unsafe self.handle = handle
        guard code == SQLITE_OK else { throw failure() }
        unsafe sqlite3_extended_result_codes(handle, 1)
        wait(for: patience)
        // Without the right to write, libsqlite3 opens the file for reading, and would fail at the first redemption
        // only.
        guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
            throw .cannotOpen(path: path, reason: "this process may only read it")
        }
    }

    deinit {
        // The connection closes when its last statement is finalized.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs one statement without values and rows.
    func execute(_ text: String) throws(SQLiteStoreError) {
        guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Says how long the next steps wait for other processes.
    func wait(for patience: TimeToLive) {
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
    }

    /// Says after how many pages of log a commit copies them to their places, which waits for the disk; 0 for never.
    func copyLog(after pages: Int32) {
        unsafe sqlite3_wal_autocheckpoint(handle, pages)
    }

    /// Prepares a statement to run many times.
    func prepare(_ text: String) throws(SQLiteStoreError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let raw = unsafe prepared else { throw failure() }
        return unsafe SQLiteStatement(owning: raw, connection: self)
    }

    /// How many rows the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Whether the file was removed, renamed or replaced since it was opened: other processes may then use another
    /// file.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0
    }

    /// Whether the last step failed because another process holds the lock.
    var isBusy: Bool { unsafe [SQLITE_BUSY, SQLITE_LOCKED].contains(sqlite3_errcode(handle) & 0xFF) }

    /// libsqlite3's message for the last failure, which holds no data.
    private var reason: String {
        let code = unsafe sqlite3_extended_errcode(handle)
        let words = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown error"
        return "\(words) (SQLite \(code))"
    }

    fileprivate func failure() -> SQLiteStoreError {
        switch unsafe sqlite3_errcode(handle) & 0xFF {
        case SQLITE_NOTADB: .notADatabase(path: path)
        case SQLITE_CORRUPT: .damaged(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .unavailable(path: path, reason: "other processes hold its lock for too long")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN:
            // For example, on a full disk the files beside the database cannot be created.
            if unsafe SQLiteStoreError.isTransient(systemError: sqlite3_system_errno(handle)) {
                .unavailable(path: path, reason: reason)
            } else {
                .cannotOpen(path: path, reason: reason)
            }
        default: .unavailable(path: path, reason: reason)
        }
    }
}

/// A prepared statement.
@safe
final class SQLiteStatement: @unchecked Sendable {
    // Every call takes the lock of the connection.
    private let raw: OpaquePointer
    private let connection: SQLiteConnection

    fileprivate init(owning raw: OpaquePointer, connection: SQLiteConnection) {
        unsafe self.raw = raw
        self.connection = connection
    }

    deinit {
        unsafe sqlite3_finalize(raw)
    }

    /// Runs the statement to its end, with values of `?1`, `?2` and so on.
    ///
    /// `body` receives each row. The error is the failure that libsqlite3 reports.
    func run(_ values: [SQLiteValue] = [], _ body: ([SQLiteValue]) -> Void = { _ in }) throws(SQLiteStoreError) {
        defer {
            // Ends the statement's part of the transaction; the code is the same as that of the last step.
            unsafe _ = sqlite3_reset(raw)
            unsafe _ = sqlite3_clear_bindings(raw)
        }
        for (index, value) in values.enumerated() {
            guard bind(value, Int32(index + 1)) == SQLITE_OK else { throw connection.failure() }
        }
        while true {
            switch unsafe sqlite3_step(raw) {
            case SQLITE_ROW:
                let count = unsafe sqlite3_column_count(raw)
                body((0..<count).map { column($0) })
            case SQLITE_DONE: return
            default: throw connection.failure()
            }
        }
    }

    private func bind(_ value: SQLiteValue, _ place: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(raw, place)
        case .integer(let number): unsafe sqlite3_bind_int64(raw, place, number)
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe sqlite3_bind_blob64(raw, place, buffer.baseAddress, UInt64(buffer.count), copied)
            }
        case .text(let text):
            unsafe Array(text.utf8).withUnsafeBytes { buffer in
                unsafe sqlite3_bind_text64(
                    raw, place, buffer.assumingMemoryBound(to: CChar.self).baseAddress, UInt64(buffer.count), copied,
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    private func column(_ index: Int32) -> SQLiteValue {
        switch unsafe sqlite3_column_type(raw, index) {
        case SQLITE_INTEGER: return unsafe .integer(sqlite3_column_int64(raw, index))
        case SQLITE_TEXT:
            let text = unsafe sqlite3_column_text(raw, index)
            let count = unsafe Int(sqlite3_column_bytes(raw, index))
            return unsafe .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = unsafe sqlite3_column_blob(raw, index)
            let count = unsafe Int(sqlite3_column_bytes(raw, index))
            return unsafe .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }

    /// Makes libsqlite3 copy what is bound: SQLITE_TRANSIENT, a cast that Swift does not import.
    private var copied: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// Checks files before libsqlite3 opens them.
enum SQLiteFile {
    /// Held while a file is opened: closing a file anywhere in a process drops the locks that the process has on it.
    static let opening = Mutex(())

    /// Creates the file if it is missing, readable by its owner only.
    ///
    /// libsqlite3 gives the files beside it the same rights. Throws `.cannotOpen`, or `.unavailable` if it may succeed
    /// later.
    static func prepare(_ path: String) throws(SQLiteStoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw SQLiteStoreError(path: path, systemError: errno)
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SQLiteStoreError(path: path, systemError: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen(path: path, reason: "not a regular file")
        }
        // Each name would get a log of its own, and a redemption in one log is missing in the other.
        guard status.st_nlink < 2 else {
            throw .cannotOpen(path: path, reason: "the file has a second name (hard link)")
        }
        // Who may write one of these files decides what the store remembers.
        for name in [path, path + "-wal", path + "-shm", path + "-journal"] where Files.exists(name) {
            guard let hand = try? Files.foreignHand(in: name) else { continue }
            throw .cannotOpen(path: name, reason: hand)
        }
    }
}

extension SQLiteStoreError {
    /// Whether an error of the system may pass: a resource ran out, or a disk fails.
    ///
    /// All others stay until the path or its rights change.
    fileprivate static func isTransient(systemError: Int32) -> Bool {
        [ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EIO].contains(systemError)
    }

    fileprivate init(path: String, systemError: Int32) {
        let reason = unsafe String(cString: strerror(systemError))
        self =
            Self.isTransient(systemError: systemError)
            ? .unavailable(path: path, reason: reason) : .cannotOpen(path: path, reason: reason)
    }
}

/// Waits two milliseconds for another process.
func pause() {
    usleep(2000)
}

/// A value in a row, or one that is bound to a statement.
package enum SQLiteValue: Equatable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ number: Int64?) {
        self = number.map { .integer($0) } ?? .null
    }

    init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
