import Synchronization

import CLibrary

/// Keeps a store to the process that uses it.
///
/// Threads and locks of a store stay behind in a fork: a redemption would wait for ever, or spoil what the parent wrote.
package final class ProcessGuard: Sendable {
    private let process: Atomic<Int32>

    /// - Parameter isInUse: Whether the store is in use from now on, as opposed to from its first redemption on.
    package init(isInUse: Bool) {
        process = Atomic(isInUse ? getpid() : 0)
    }

    /// Refuses in a process that was forked from the one that uses the store.
    package func check() throws(ReplayStoreError) {
        let current = getpid()
        let (_, first) = process.compareExchange(expected: 0, desired: current, ordering: .relaxed)
        guard first == 0 || first == current else {
            throw .unavailable(reason: "the process was forked after the store was used; make a new store in it")
        }
    }
}
