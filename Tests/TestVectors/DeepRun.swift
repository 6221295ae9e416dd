import Foundation

/// Checks of what the machine and other work on it change: times, and the memory of processes.
package enum DeepRun {
    /// Whether the variable `TVE_DEEP` asks for them, on a machine that does nothing else.
    package static let isAsked = ProcessInfo.processInfo.environment["TVE_DEEP"] != nil
}
