import Foundation
import Synchronization

/// Ports of this host for programs that cannot let the system choose one.
///
/// They lie below 32768, from where Linux takes none by itself, and each process begins elsewhere. Still, another
/// program may listen on one: whoever is told "address in use" takes the next.
package enum Ports {
    private static let range = 20_000..<32_000
    private static let count = Atomic(0)
    private static let start = Int(ProcessInfo.processInfo.processIdentifier) * 131

    /// A port that this process has not taken for a long time.
    package static func next() -> Int {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        return range.lowerBound + (start + number) % range.count
    }
}
