import Foundation

/// How much of this thread's processor time something takes: other load on the machine does not count.
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
