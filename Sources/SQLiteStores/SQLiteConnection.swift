import CSQLite
import EntitlementValues
import Synchronization

import CLibrary

/// One connection to a database file: the one place where libsqlite3 is called.
///
/// Transactions belong to the connection, so whoever owns it lets one thread at a time begin one.
@safe
final class SQLiteConnection: @unchecked Sendable {
    let path: String
    // Opened with SQLITE_OPEN_FULLMUTEX: libsqlite3 takes the connection's lock in every call, statements included.
    fileprivate let handle: OpaquePointer

    /// Opens a file that `prepareFile` has looked at.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - patience: How long a step waits for other processes.
    /// - Throws: `.cannotOpen`, or `.unavailable` for what may pass.
    init(path: String, patience: TimeToLive) throws(SQLiteStoreError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else { throw SQLiteStoreError(path: path, systemError: ENOMEM) }
        unsafe self.handle = handle
        guard code == SQLITE_OK else { throw failure() }
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
        // Without rights libsqlite3 opens the file for reading, and would say so only when the first redemption comes.
        guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
            throw .cannotOpen(path: path, reason: "this process may only read it")
        }
    }

    deinit {
        // Closes once the last statement is gone.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs one statement that takes and gives nothing.
    func execute(_ text: String) throws(SQLiteStoreError) {
        guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
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

    /// Whether the file was removed, renamed or replaced since it was opened: others who open the path see another one.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0
    }

    /// Whether the last step failed because others hold the lock.
    var isBusy: Bool { unsafe [SQLITE_BUSY, SQLITE_LOCKED].contains(sqlite3_errcode(handle) & 0xFF) }

    /// The last failure as libsqlite3 put it, in words that hold no data.
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
            // On a full disk, for one, the files beside the database cannot be made.
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
    // Guarded by the lock of its connection, in every call.
    private let raw: OpaquePointer
    private let connection: SQLiteConnection

    fileprivate init(owning raw: OpaquePointer, connection: SQLiteConnection) {
        unsafe self.raw = raw
        self.connection = connection
    }

    deinit {
        unsafe sqlite3_finalize(raw)
    }

    /// Runs the statement to its end.
    ///
    /// - Parameters:
    ///   - values: What takes the place of `?1` and so on.
    ///   - body: Is given each row.
    /// - Throws: `SQLiteStoreError`, what libsqlite3 made of it.
    func run(_ values: [SQLiteValue] = [], _ body: ([SQLiteValue]) -> Void = { _ in }) throws(SQLiteStoreError) {
        defer {
            // Ends the statement's part of the transaction; its code repeats that of the step.
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

    /// Tells libsqlite3 to make its own copy of what is bound (SQLITE_TRANSIENT, a cast that Swift does not import).
    private var copied: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// Looks at files before libsqlite3 does.
enum SQLiteFile {
    /// One at a time: closing a file anywhere in a process drops the locks that the process has on it.
    static let opening = Mutex(())

    /// Makes the file where it is missing, for its owner alone; libsqlite3 gives the files beside it the same rights.
    ///
    /// - Throws: `.cannotOpen`, or `.unavailable` for what may pass.
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
        // Each name would get a log of its own, and a redemption in one is unknown to the other.
        guard status.st_nlink < 2 else {
            throw .cannotOpen(path: path, reason: "the file has a second name (hard link)")
        }
    }
}

extension SQLiteStoreError {
    /// Whether an error of the system is one of something that ran out, or of a disk that fails; all others stay until
    /// somebody changes the path or its rights.
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

/// Waits a moment for another process.
func pause() {
    usleep(2000)
}
