import Foundation
import TestVectors

/// The value of `TVE_TIMING`, which turns on the measurements: how many decryptions of each kind to do.
enum Measuring {
    static let count = ProcessInfo.processInfo.environment["TVE_TIMING"].flatMap { Int($0) }
    static let bits = ProcessInfo.processInfo.environment["TVE_TIMING_BITS"] ?? "2048"

    /// The memory of the process (Linux).
    static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Nanoseconds of this thread's processor time.
    static func time(_ body: () throws -> Void) rethrows -> Double {
        try processorTime(body) / .nanoseconds(1)
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return isEmpty ? .nan : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// The bounds of the middle part of the values.
    func middle(_ share: Double) -> (low: Double, high: Double) {
        let sorted = sorted()
        let cut = Int(Double(count) * (1 - share) / 2)
        return (sorted[cut], sorted[count - 1 - cut])
    }
}
