import Synchronization

import CLibrary

/// Binds a store to the process that uses it.
///
/// A forked child has copies of a store's locks but none of its threads. A redemption there would wait for ever, or
/// damage what the parent writes.
package final class ProcessGuard: Sendable {
    private let process: Atomic<Int32>

    /// Makes a guard.
    ///
    /// `isInUse` says whether this process uses the store from now on, rather than from its first redemption on.
    package init(isInUse: Bool) {
        process = Atomic(isInUse ? getpid() : 0)
    }

    /// Whether this process was forked from the one that uses the store; the first that asks is the one.
    package var isForked: Bool {
        let current = getpid()
        let (_, first) = process.compareExchange(expected: 0, desired: current, ordering: .relaxed)
        return first != 0 && first != current
    }

    /// Checks that this is the process that uses the store.
    ///
    /// Throws `.unavailable` in a process that was forked from it.
    package func check() throws(ReplayStoreError) {
        guard !isForked else { throw .unavailable(reason: Self.reason) }
    }

    /// What a store says in a process that was forked from the one that uses it.
    package static let reason = "the process was forked after the store was used; make a new store in it"
}
