import Synchronization

/// Says when a file of records is tidied up, by the number of its changes.
final class RecordUpkeep: Sendable {
    /// Expired records are dropped after so many changes: looking for them costs as much as a change.
    private static let changesBeforeDropping = 16
    /// How many are dropped for each change at most: more than come in, so that the file shrinks after a rush.
    private static let droppedPerChange = 6
    /// One change in so many, and the one after it, may wait for the disk.
    ///
    /// The first copies the log to its place if it has grown long, and the second then begins a new log; both wait.
    private static let changesBeforeWaiting = 256

    private struct State {
        var changes = 0
        var attempts = 0
    }

    private let state = Mutex(State())

    /// Counts changes since the last call, and returns how many expired records are to be dropped at most.
    ///
    /// `nil` if it is not the time.
    func countToDrop(after changes: Int) -> Int? {
        state.withLock { state in
            state.changes += changes
            guard state.changes >= Self.changesBeforeDropping else { return nil }
            defer { state.changes = 0 }
            return state.changes * Self.droppedPerChange
        }
    }

    /// Counts a change that need not reach the disk, and tells whether a thread that must not wait may make it.
    func mayWriteAtOnce() -> Bool {
        state.withLock { state in
            state.attempts += 1
            return state.attempts % Self.changesBeforeWaiting > 1
        }
    }
}
