import Foundation

/// Measures this thread's processor time, to which other load on the machine adds little.
public func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = spent
    try body()
    return spent - start
}

private var spent: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
