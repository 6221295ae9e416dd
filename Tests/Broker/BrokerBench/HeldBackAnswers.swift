#if Client
import Synchronization

/// Counts the answers that a server holds back because a scenario wants them late.
package final class HeldBackAnswers: Sendable {
    private let number = Atomic(0)

    package init() {}

    /// How many are held back at present.
    package var count: Int { number.load(ordering: .acquiring) }

    func begin() { number.add(1, ordering: .acquiringAndReleasing) }
    func end() { number.subtract(1, ordering: .acquiringAndReleasing) }
}
#endif
