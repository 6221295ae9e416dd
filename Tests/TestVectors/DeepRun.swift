import Foundation

/// Checks whose result depends on the machine: times, and the memory of processes.
package enum DeepRun {
    /// Whether the variable `TVE_DEEP` asks for them.
    package static let isAsked = ProcessInfo.processInfo.environment["TVE_DEEP"] != nil
}
