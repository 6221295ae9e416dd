import Foundation

/// Measures this thread's processor time, to which other load on the machine adds little.
public func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = spent
    try body()
    return spent - start
}

/// Whether one of five runs of `body` takes less processor time than `limit`; later runs are made only if they are needed.
///
/// A single run may take long through no fault of its own: AddressSanitizer empties its quarantine in whichever thread
/// comes next. And how long all of them take depends on the machine, so time is measured in a `DeepRun` only. In other
/// runs, `body` runs once, and what it and its test expect beside the time must be true all the same.
public func takesLess(than limit: Duration, _ body: () throws -> Void) rethrows -> Bool {
    guard DeepRun.isAsked else {
        try body()
        return true
    }
    var times: [Duration] = []
    for _ in 0..<5 {
        times.append(try processorTime(body))
        if times.contains(where: { $0 < limit }) { return true }
    }
    print("processor time of each run: \(times); allowed: \(limit)")
    return false
}

private var spent: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
