import Foundation

/// Figures of what the machine and other work on it change: times, and the memory of processes.
///
/// `make deep CHECK=times` takes them in a release build, one test after the other. They are printed and recorded, and none
/// decides: what must be true on any machine is counted, or expected beside the figure, in every run.
package enum DeepRun {
    /// Whether the variable `TVE_DEEP` asks for them, on a machine that does nothing else.
    package static let isAsked = ProcessInfo.processInfo.environment["TVE_DEEP"] != nil

    /// Notes a figure, if they are asked for.
    ///
    /// - Parameters:
    ///   - what: What was measured; of figures with one name, the largest is shown.
    ///   - value: How much it is.
    ///   - unit: Of what.
    package static func note(_ what: String, _ value: some BinaryInteger, _ unit: String) {
        note(what, Double(value), unit)
    }

    package static func note(_ what: String, _ value: Double, _ unit: String) {
        // The form that `.ci/run_tests` looks for.
        if isAsked { print("measured: \(what): \(String(format: "%.3f", value)) \(unit)") }
    }

    package static func note(_ what: String, _ time: Duration) { note(what, time / .milliseconds(1), "ms") }
}
