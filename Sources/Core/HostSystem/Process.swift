import CLibrary
import TextCodecs

/// Reads a variable of the process's environment; `nil` if it is not set or empty.
package func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// Whether a text that is the name of no environment variable that is set can be meant as one: capitals, digits and
/// underscores, no digit first.
///
/// Any other may be a password. So may one that cannot be the name of a file either, as `Files.canBeName(_:)` says.
package func canBeVariable(_ name: String) -> Bool {
    name.utf8.allSatisfy { $0.isCapital || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        && name.utf8.first.map { !$0.isASCIIDigit } ?? false && Files.canBeName(name)
}

/// How many processors this process may keep busy, at least 1.
package var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Ends the process with an exit code, after the handlers that C libraries registered with `atexit`.
package func endProcess(_ exitCode: Int32) -> Never {
    exit(exitCode)
}

/// Keeps the memory of this process, with its keys and tokens, out of files when it crashes.
package func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
    let kind = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
    let kind = RLIMIT_CORE
    #endif
    // A limit may always be lowered.
    unsafe _ = setrlimit(kind, &none)
}

/// The operating system that this process runs on.
package struct OperatingSystem: Sendable, Hashable {
    /// Its name, such as `Linux`.
    package let name: String
    /// The version of its kernel; empty if it does not say.
    package let version: String

    /// The system of this process.
    package static var current: OperatingSystem {
        var names = utsname()
        let isKnown = unsafe uname(&names) == 0
        let version = unsafe withUnsafeBytes(of: &names.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        #if canImport(Darwin)
        return OperatingSystem(name: "macOS", version: isKnown ? version : "")
        #else
        return OperatingSystem(name: "Linux", version: isKnown ? version : "")
        #endif
    }
}

/// The system's clocks.
package enum SystemClock {
    /// The wall clock: milliseconds since the Unix epoch.
    package static var epochMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The processor time that the calling thread has used, in nanoseconds.
    ///
    /// Other work on the machine does not change it.
    package static var threadProcessorNanoseconds: Int64 {
        let time = read(CLOCK_THREAD_CPUTIME_ID)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Microseconds since some start, which no change of the wall clock moves; systemd compares with the same clock.
    static var monotonicMicroseconds: Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Every supported system has these clocks, so the call cannot fail.
        _ = unsafe clock_gettime(clock, &time)
        return time
    }
}
