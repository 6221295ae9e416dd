public import EntitlementValues
import HostSystem
import Synchronization

/// Keeps the keys of a file or folder current while a program runs.
///
/// A changed file makes a new set, which replaces the whole old one; verifications under way finish with the set that
/// they began with. A bad file changes nothing: the old set stays in use, and the error is reported.
///
/// ```swift
/// let folder = try KeyFolder(path: "keys")
/// let verifier = Mutex(MediaTokenVerifier(keys: folder.keys))
/// for await change in folder.changes() {
///     switch change {
///     case .replaced(let keys): verifier.withLock { $0 = $0.with(keys: keys) }
///     case .refused(let error): log("keys unchanged: \(error)")
///     }
/// }
/// ```
public final class KeyFolder: Sendable {
    /// The file or folder that is watched.
    public let path: String

    private struct State {
        var keys: VerificationKeys
        /// The files that were read last, even if that failed: one bad state is reported once.
        var content: [FileStamp]
    }

    private let state: Mutex<State>

    /// Reads the keys for the first time.
    ///
    /// - Parameter path: A file or a folder.
    /// - Throws: `KeyError`, since there is no old set to fall back on yet.
    public init(path: String) throws(KeyError) {
        self.path = path
        // The stamps are taken before reading: a file that changes in between is read again next time.
        let content = try Self.content(of: path)
        state = Mutex(State(keys: try VerificationKeys(contentsOfFile: path), content: content))
    }

    /// The set in use.
    public var keys: VerificationKeys {
        state.withLock { $0.keys }
    }

    /// Checks the files now, and reads them if one of them has changed.
    ///
    /// - Returns: The change; `nil` if nothing has changed since the last check.
    public func reload() -> KeyFolderChange? {
        do throws(KeyError) {
            let content = try Self.content(of: path)
            let isNew = state.withLock { state in
                defer { state.content = content }
                return state.content != content
            }
            guard isNew else { return nil }
            let found = try VerificationKeys(contentsOfFile: path)
            return .replaced(
                state.withLock { state in
                    state.keys = found.continuingUse(of: state.keys)
                    return state.keys
                }
            )
        } catch {
            return refusal(error)
        }
    }

    /// Reports changes as they are found, until the task that iterates is cancelled.
    ///
    /// - Parameters:
    ///   - interval: The time between checks. A check costs one `stat` per file.
    ///   - time: Measures the interval.
    /// - Returns: A sequence that ends only when its task is cancelled.
    public func changes(
        every interval: Duration = .seconds(10),
        by time: TimeSource = .system
    ) -> AsyncStream<KeyFolderChange> {
        AsyncStream { [self] in
            while !Task.isCancelled {
                try? await time.sleep(untilUptime: time.uptime + interval)
                if Task.isCancelled { break }
                if let change = reload() { return change }
            }
            return nil
        }
    }

    /// Reports a path that vanished once: until it is back, its content counts as empty.
    private func refusal(_ error: KeyError) -> KeyFolderChange? {
        guard case .noSuchFile = error else { return .refused(error) }
        let isNew = state.withLock { state in
            defer { state.content = [] }
            return !state.content.isEmpty
        }
        return isNew ? .refused(error) : nil
    }

    private static func content(of path: String) throws(KeyError) -> [FileStamp] {
        do throws(FileFailure) {
            return try Files.stamps(at: path)
        } catch {
            throw error.isMissing ? .noSuchFile(file: path) : .unreadable(file: path, reason: error.reason)
        }
    }
}

/// A change of the files in a key folder.
@nonexhaustive
public enum KeyFolderChange: Sendable {
    /// The files have changed; the new set is in use.
    case replaced(VerificationKeys)
    /// A file has changed and is bad; the old set stays in use.
    case refused(KeyError)
}

extension VerificationKeys {
    /// The same keys, with the counts of use of an older set.
    package func continuingUse(of older: VerificationKeys) -> VerificationKeys {
        VerificationKeys(
            keys.map { key in
                older.keys.first { $0.fingerprint == key.fingerprint }.map(key.continuingUse(of:)) ?? key
            }
        )
    }
}
