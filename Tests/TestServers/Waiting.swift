import Foundation

/// How long tests wait for what a server or a program does at once on a machine that has nothing else to do.
package let patience = Duration.seconds(120)

/// Keeps this thread until something is so, two minutes at most.
///
/// - Throws: `POSIXError.ETIMEDOUT`, or what `isSo` throws.
package func hold(until isSo: () throws -> Bool) throws {
    let end = ContinuousClock.now + patience
    while try !isSo() {
        guard ContinuousClock.now < end else { throw POSIXError(.ETIMEDOUT) }
        Thread.sleep(forTimeInterval: 0.01)
    }
}
