#if Client
import Foundation

/// Checks of what a busy machine or other tests change: times, and the memory of a process.
///
/// They run where the variable `TVE_DEEP` is set, on a machine that does nothing else.
package enum DeepChecks {
    package static let areOn = ProcessInfo.processInfo.environment["TVE_DEEP"] != nil
}
#endif
