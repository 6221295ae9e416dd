#if Redis
import Synchronization

extension RedisPool {
    /// The waiting commands, the workers, and what is known of the server.
    struct State: Sendable {
        /// In the order of their deadlines, since all have the same time limit.
        private var waiting: [PendingCommand] = []
        private var isBusy: [Bool]
        private var isConnected: [Bool]
        private var hasTimer = false
        /// Failures in a row; those of attempts that were made at the same time are one.
        private var failures = 0
        /// Counts the failures in all, and what it was when each worker last began to connect.
        private var round = 0
        private var begun: [Int]
        /// What it was when each worker last had a new connection.
        private var reached: [Int]
        private var lastFailure = RedisFailure.slow
        /// No worker tries to connect before this uptime.
        private var nextAttempt = Duration.zero
        private var server: RedisServerIdentity?
        private var warned: Set<RedisWarning> = []
        /// Counts the servers, their runs and the changes of access that were seen.
        private(set) var generation = 0
        /// What connections sign in with.
        var access: RedisPool.Accesses

        init(workers: Int, access: RedisAccess) {
            isBusy = Array(repeating: false, count: workers)
            isConnected = isBusy
            begun = Array(repeating: 0, count: workers)
            reached = begun
            self.access = Accesses(access)
        }

        /// Lets a command wait, and picks an idle worker.
        mutating func admit(
            _ command: PendingCommand,
            maximumWaiting: Int,
            now: Duration
        ) -> (worker: Int?, refusal: RedisFailure?, setsTimer: Bool) {
            let canConnect = now >= nextAttempt
            guard canConnect || isConnected.contains(true) else { return (nil, lastFailure, false) }
            guard waiting.count < maximumWaiting else { return (nil, .crowded(maximum: maximumWaiting), false) }
            waiting.append(command)
            let idle = isBusy.indices.filter { !isBusy[$0] }
            let worker = idle.first { isConnected[$0] } ?? (canConnect ? idle.first : nil)
            if let worker { isBusy[worker] = true }
            defer { hasTimer = true }
            return (worker, nil, !hasTimer)
        }

        /// Removes the commands that waited too long, and says when to look again.
        mutating func removeLate(
            now: Duration
        ) -> (late: [PendingCommand], next: Duration?) {
            let late = Array(waiting.prefix { $0.deadline <= now })
            waiting.removeFirst(late.count)
            hasTimer = !waiting.isEmpty
            return (late, waiting.first?.deadline)
        }

        /// Takes at most `count` commands; if there are none, it returns `nil` and the worker is idle.
        ///
        /// `size` is how many bytes the batch may have, unless its first command has more. `now` is the uptime.
        mutating func nextBatch(of count: Int, size: Int, for worker: Int, now: Duration) -> [PendingCommand]? {
            // Late ones are left to the timer, which is about to refuse them: sending them would change the server
            // although the caller was told that it did not answer.
            let start = waiting.firstIndex { $0.deadline > now } ?? waiting.endIndex
            var room = size
            let batch = Array(
                waiting[start...].prefix(count).prefix { command in
                    defer { room -= command.bytes.count }
                    return room >= command.bytes.count || room == size
                })
            waiting.removeSubrange(start..<start + batch.count)
            isBusy[worker] = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }

        /// What becomes of waiting commands: a worker that takes them, or their refusal.
        typealias Rest = (worker: Int?, refused: [PendingCommand])

        /// Decides whether a worker without a connection opens one now.
        mutating func mayConnect(
            _ worker: Int,
            now: Duration
        ) -> (connects: Bool, rest: Rest, reason: RedisFailure) {
            isConnected[worker] = false
            let connects = !waiting.isEmpty && now >= nextAttempt
            isBusy[worker] = connects
            begun[worker] = round
            return (connects, connects ? (nil, []) : handOver(), lastFailure)
        }

        /// Notes a new connection.
        ///
        /// Returns the number of the server's run, and the warnings that are new.
        mutating func connected(
            _ worker: Int,
            to server: RedisServerIdentity,
            warnings: Set<RedisWarning>
        ) -> (generation: Int, warnings: Set<RedisWarning>) {
            var new = warnings
            let isOther = self.server.map(server.mayDiffer) ?? false
            if isOther {
                new.insert(.restarted)
                warned = []
                // Other connections may still lead to the former server, which knows other keys.
                generation += 1
            }
            // What is known of the run stays known while the server does not show it.
            if isOther || server.runID != nil || self.server == nil { self.server = server }
            new.subtract(warned)
            warned.formUnion(warnings)
            isConnected[worker] = true
            reached[worker] = round
            return (generation, new)
        }

        /// Notes that the server answered a worker.
        ///
        /// A connection from before the last failure says nothing of new ones: while the server takes none, those who
        /// have one must not let the others try again and again without a pause. If none had to try for a second and more,
        /// that is over.
        mutating func succeeded(_ worker: Int, now: Duration) {
            if reached[worker] == round || now >= nextAttempt + .seconds(1) { failures = 0 }
        }

        /// Notes that a connection ended, or that none could be opened.
        ///
        /// Returns whether the worker tries again at once, and what becomes of the waiting commands if not.
        mutating func failed(
            _ worker: Int,
            _ failure: RedisFailure,
            now: Duration
        ) -> (goesOn: Bool, rest: Rest) {
            isConnected[worker] = false
            lastFailure = failure
            // A server that ends cuts all connections: that is one failure, and another worker has noted it already. If
            // there is something to wait for, ``mayConnect(_:now:)`` knows.
            guard begun[worker] == round else { return (true, (nil, [])) }
            round += 1
            failures = min(failures + 1, 8)
            // The first retry comes at once, for a connection that a restart cut; then after 50 ms, doubling up to 1 s.
            if failures == 1 { return (true, (nil, [])) }
            nextAttempt = now + .milliseconds(min(25 << (failures - 1), 1000))
            isBusy[worker] = false
            return (false, handOver())
        }

        /// Takes another access into use: connections with the former one end before their next command.
        mutating func renew() {
            generation += 1
            failures = 0
            nextAttempt = .zero
        }

        /// Finds a worker for the waiting commands, now that a worker cannot take them.
        private mutating func handOver() -> Rest {
            guard !waiting.isEmpty else { return (nil, []) }
            if let idle = isBusy.indices.first(where: { !isBusy[$0] && isConnected[$0] }) {
                isBusy[idle] = true
                return (idle, [])
            }
            // Who is busy takes them next.
            guard !isConnected.contains(true) else { return (nil, []) }
            defer { waiting = [] }
            return (nil, waiting)
        }
    }
}

/// A command that waits for its reply.
struct PendingCommand: Sendable {
    let bytes: [UInt8]
    /// The kinds of replies that it may get; any other ends the connection.
    let replies: RedisReply.Kinds
    /// The uptime at which the caller is answered that it took too long.
    let deadline: Duration
    let answer: OneAnswer<RedisReply>
}

/// Answers a waiting caller once: of several answers the first counts.
final class OneAnswer<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, RedisFailure>

    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) {
        self.continuation = Mutex(continuation)
    }

    func give(_ answer: Answer) {
        continuation.withLock { $0.take() }?.resume(returning: answer)
    }
}
#endif
