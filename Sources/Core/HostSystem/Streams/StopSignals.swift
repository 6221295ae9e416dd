import CLibrary
import Synchronization

/// Turns the signals that ask a process to stop into input that `poll` notices.
package enum StopSignals {
    /// Catches SIGTERM and SIGINT once each: the same signal a second time ends the process at once.
    ///
    /// A signal that this process was started to ignore stays ignored.
    package static func catchOnce() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd.store(ends[0], ordering: .relaxed)
        writeEnd.store(ends[1], ordering: .relaxed)
        firstSignal.store(0, ordering: .relaxed)
        for number in [SIGTERM, SIGINT] {
            let previous = signal(number, handle)
            if isIgnoring(previous) { _ = signal(number, SIG_IGN) }
        }
    }

    /// Unblocks SIGTERM and SIGINT for the calling thread, which must be the first one, before it starts others.
    ///
    /// A parent that starts processes from a thread that blocks signals, as thread pools do, passes the block on.
    package static func unblock() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// The number of the first signal that came; `nil` if none did.
    package static var received: Int32? {
        let number = firstSignal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Becomes readable when a signal comes; below 0 if none is caught, which `poll` ignores.
    static var descriptor: Int32 { readEnd.load(ordering: .relaxed) }

    private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

private let readEnd = Atomic<Int32>(-1)
private let writeEnd = Atomic<Int32>(-1)
private let firstSignal = Atomic<Int32>(0)

/// Runs between any two instructions, so it calls only what POSIX allows in a signal handler.
private func handle(_ number: Int32) {
    let previous = errno
    firstSignal.store(number, ordering: .relaxed)
    // A wait that is about to begin would not notice the flag alone.
    unsafe _ = write(writeEnd.load(ordering: .relaxed), "!", 1)
    _ = signal(number, SIG_DFL)
    errno = previous
}
