import CLibrary

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

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Every system that this builds on has these clocks, so the call cannot fail.
        _ = unsafe clock_gettime(clock, &time)
        return time
    }
}
