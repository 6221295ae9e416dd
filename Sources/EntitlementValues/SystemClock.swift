#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Timestamp {
    /// Reads the system's wall clock.
    ///
    /// The one place where this package asks for the time; everywhere else it is an argument.
    public static var now: Timestamp {
        var time = timespec()
        // CLOCK_REALTIME exists on every system this builds on, so the call has no way to fail.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The processor time that the calling thread has used, in nanoseconds: what the rest of a busy machine does not change.
package var processorNanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
