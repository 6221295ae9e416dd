package import EntitlementValues
import HostSystem
import Synchronization

/// Keeps what some files and folders hold current: reads them again when one of them has changed.
package final class KeyWatcher<Keys: Sendable>: Sendable {
    /// The files and folders that are watched.
    package let paths: [String]

    private struct State {
        var keys: Keys
        /// The files that were read last, even if that failed; `nil` if they are to be reported once more.
        var content: [FileStamp]?
        /// Why they were refused: one bad state is reported once.
        ///
        /// It is read again by each check, since the reason may pass without a change of the files.
        var refusal: KeyError?
    }

    private let state: Mutex<State>
    /// Held during a check, so that a slow one does not replace the result of a later one.
    ///
    /// Who asks for the keys does not wait for files.
    private let turn = Mutex(())
    private let read: @Sendable () throws(KeyError) -> Keys
    private let continuing: @Sendable (_ found: Keys, _ older: Keys) -> Keys
    private let withdrawing: @Sendable (_ keys: Keys) -> Keys?

    /// Reads the keys for the first time, and throws if that fails, since an older set to fall back on does not exist
    /// yet.
    ///
    /// `continuing` gives new keys the counts of use of older ones. After a failed reading, `withdrawing` returns the
    /// keys in use without those that were taken away; `nil` if none was.
    package init(
        paths: [String],
        reading read: @escaping @Sendable () throws(KeyError) -> Keys,
        continuing: @escaping @Sendable (_ found: Keys, _ older: Keys) -> Keys,
        withdrawing: @escaping @Sendable (_ keys: Keys) -> Keys? = { _ in nil }
    ) throws(KeyError) {
        (self.paths, self.read, self.continuing, self.withdrawing) = (paths, read, continuing, withdrawing)
        // The stamps are taken before reading: a file that changes in between is read again next time.
        let content = try Self.content(of: paths)
        state = Mutex(State(keys: try read(), content: content))
    }

    /// The set in use.
    package var keys: Keys { state.withLock { $0.keys } }

    /// Checks the files now, and reads them if one of them has changed since the last check.
    ///
    /// Returns the new set, or why it is refused; `nil` if nothing has changed. If the files are refused, keys that
    /// were taken away leave the set in use: it is returned without them first, and the next check returns the reason.
    ///
    /// No file is waited for: a pipe in the place of one is refused at once.
    package func reload() -> Result<Keys, KeyError>? {
        turn.withLock { _ in Files.withoutPipes { check() } }
    }

    private func check() -> Result<Keys, KeyError>? {
        var isNew = false
        do throws(KeyError) {
            let content = try Self.content(of: paths)
            let wasRefused = state.withLock { state in
                isNew = state.content != content
                state.content = content
                return state.refusal != nil
            }
            guard isNew || wasRefused else { return nil }
            let found = try read()
            return .success(
                state.withLock { state in
                    state.keys = continuing(found, state.keys)
                    state.refusal = nil
                    return state.keys
                })
        } catch {
            if let rest = withdrawing(keys) {
                // No set of files: the next check finds the refused ones once more, and reports them.
                state.withLock { ($0.keys, $0.content, $0.refusal) = (rest, nil, nil) }
                return .success(rest)
            }
            return state.withLock { state in
                defer { state.refusal = error }
                // A file that vanishes while all are read again is not reported: the next check finds what has become of it.
                return isNew || state.refusal == nil ? .failure(error) : nil
            }
        }
    }

    /// Reports changes as they are found, until the task that iterates is cancelled.
    package func changes(every interval: Duration, by time: TimeSource) -> AsyncStream<Result<Keys, KeyError>> {
        AsyncStream { [self] in
            while !Task.isCancelled {
                try? await time.sleep(untilUptime: time.uptime + interval)
                if Task.isCancelled { break }
                if let change = reload() { return change }
            }
            return nil
        }
    }

    private static func content(of paths: [String]) throws(KeyError) -> [FileStamp] {
        var stamps: [FileStamp] = []
        for path in paths {
            do throws(FileFailure) {
                stamps += try Files.stamps(at: path)
            } catch {
                throw KeyError(error, reading: path)
            }
        }
        return stamps
    }
}
