#if Redis
import Dispatch
import EntitlementValues
import Synchronization
import TextCodecs

/// Passes waiting commands to a few connections, in batches: bytes in, replies out.
///
/// Each connection has a thread of its own while there is something to do, so that waiting for a server blocks no
/// thread of a task. A command is sent once at most, and answered exactly once: by its reply, by a failure of its
/// connection, or by the time limit. A command that was not answered by its reply may have reached the server.
final class RedisPool: Sendable {
    let connector: RedisConnector
    let settings: RedisPoolSettings
    let state: Mutex<State>
    private let onWarning: @Sendable (RedisWarning) -> Void
    private let workers: [Worker]
    private let timekeeper = DispatchQueue(label: "redis: time limit")

    /// Makes a pool; connections open with the first command.
    ///
    /// `maximumReply` is in bytes. `onWarning` receives what is wrong with the server, on a thread of the pool.
    init(
        _ address: RedisAddress,
        access: RedisAccess,
        settings: RedisPoolSettings,
        maximumReply: Int,
        time: TimeSource,
        onWarning: @escaping @Sendable (RedisWarning) -> Void
    ) {
        connector = RedisConnector(
            address: address, clientName: settings.clientName, maximumReply: maximumReply, time: time)
        self.settings = settings
        self.onWarning = onWarning
        workers = (0..<settings.connections).map { _ in Worker() }
        state = Mutex(State(workers: settings.connections, access: access))
    }

    /// One connection and the thread that uses it.
    private final class Worker: Sendable {
        let queue = DispatchQueue(label: "redis: connection")
        /// Held while the thread works; no other thread takes it.
        let session = Mutex<RedisSession?>(nil)
    }

    /// The maximum number of commands in a batch: the first one waits until all of them are written.
    private static let maximumPerBatch = 512
    /// The maximum size of a batch in bytes, unless its first command is larger.
    private static let maximumBatchSize = 1 << 18

    private var time: TimeSource { connector.time }

    /// Sends a command and waits for its reply, which is of one of the expected kinds.
    ///
    /// Throws `.answered` if the server replied with an error.
    func ask(_ command: [UInt8], expecting replies: RedisReply.Kinds) async throws(RedisFailure) -> RedisReply {
        let deadline = time.uptime + settings.timeLimit.duration
        let answer = await withCheckedContinuation { continuation in
            enqueue(
                PendingCommand(
                    bytes: command, replies: replies, deadline: deadline, answer: OneAnswer(continuation)))
        }
        return try answer.get()
    }

    private func enqueue(_ command: PendingCommand) {
        let (worker, refusal, setsTimer) = state.withLock { state in
            state.admit(command, maximumWaiting: settings.maximumWaiting, now: time.uptime)
        }
        if let refusal { return command.answer.give(.failure(refusal)) }
        if let worker { start(worker) }
        if setsTimer { setTimer(for: command.deadline) }
    }

    /// Opens a connection for this question alone, closes it, and tells what is wrong with the server.
    ///
    /// Throws if the server cannot be used.
    func inspect() async throws(RedisFailure) -> Set<RedisWarning> {
        try await onThread { [self] () throws(RedisFailure) in
            try openSession(until: time.uptime + settings.connectTimeLimit.duration).warnings
        }
    }

    /// Does work that waits on a thread of its own; after the time limit for connecting the caller is answered without it.
    func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws(RedisFailure) -> Value
    ) async throws(RedisFailure) -> Value {
        let (time, end) = (time, time.uptime + settings.connectTimeLimit.duration)
        let answer = await withCheckedContinuation { continuation in
            let answer = OneAnswer<Value>(continuation)
            let limit = Task {
                do { try await time.sleep(untilUptime: end) } catch { return }
                answer.give(.failure(.noConnectionInTime))
            }
            DispatchQueue(label: "redis: question").async {
                defer { limit.cancel() }
                answer.give(Result { () throws(RedisFailure) in try work() })
            }
        }
        return try answer.get()
    }
}

// MARK: - The time limit

extension RedisPool {
    /// Refuses commands that wait too long for a connection: the look-up of a host name alone can take seconds.
    private func setTimer(for deadline: Duration) {
        let left = (deadline - time.uptime).components
        let milliseconds = Int(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000) + 1
        timekeeper.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            let (late, next) = state.withLock { $0.removeLate(now: time.uptime) }
            for command in late { command.answer.give(.failure(.slow)) }
            if let next { setTimer(for: next) }
        }
    }
}

// MARK: - One connection's work

extension RedisPool {
    private func start(_ index: Int) {
        workers[index].queue.async { [self] in
            workers[index].session.withLock { session in
                while serve(index, &session) {}
            }
        }
    }

    /// Sends one batch and answers it; tells whether there may be more to do.
    private func serve(_ index: Int, _ session: inout RedisSession?) -> Bool {
        do throws(RedisFailure) {
            try connect(index, &session)
            guard var current = session.take() else { return false }
            let batch = state.withLock {
                $0.nextBatch(of: Self.maximumPerBatch, size: Self.maximumBatchSize, for: index, now: time.uptime)
            }
            guard let batch else {
                session = consume current
                return false
            }
            try exchange(batch, over: &current.connection)
            session = consume current
            state.withLock { $0.succeeded(index, now: time.uptime) }
            return true
        } catch {
            let (goesOn, rest) = state.withLock { $0.failed(index, error, now: time.uptime) }
            settle(rest, because: error)
            return goesOn
        }
    }

    /// Answers commands that no worker can take, or lets another worker take them.
    private func settle(_ rest: State.Rest, because failure: RedisFailure) {
        for command in rest.refused { command.answer.give(.failure(failure)) }
        if let worker = rest.worker { start(worker) }
    }

    /// Keeps or opens a session that can be used; leaves `nil` if there is nothing to do for it.
    private func connect(_ index: Int, _ session: inout RedisSession?) throws(RedisFailure) {
        if let current = session.take() {
            let isCurrent = state.withLock { $0.generation == current.generation }
            // A server closes connections that were idle for long; no command is lost if that is noticed before it is
            // sent.
            if isCurrent, current.connection.isQuiet {
                session = consume current
                return
            }
        }
        let (connects, rest, reason) = state.withLock { $0.mayConnect(index, now: time.uptime) }
        settle(rest, because: reason)
        guard connects else { return }
        var opened = try openSession(until: time.uptime + settings.connectTimeLimit.duration)
        let (server, found) = (opened.server, opened.warnings)
        let (generation, warnings) = state.withLock { $0.connected(index, to: server, warnings: found) }
        opened.generation = generation
        session = consume opened
        for warning in warnings { onWarning(warning) }
    }

    /// Writes a batch and reads its replies, which arrive in the same order.
    ///
    /// A command whose deadline passes is answered at once; its reply is still read, and dropped. It is waited for as
    /// long as a command may take after the last deadline: a connection that is slow is worth more than none, and a new
    /// one would take several round trips.
    private func exchange(
        _ batch: [PendingCommand],
        over connection: inout RedisConnection
    ) throws(RedisFailure) {
        var open = batch[...]
        do throws(RedisFailure) {
            guard let first = batch.first, let last = batch.last else { return }
            let end = last.deadline + settings.timeLimit.duration
            var bytes = first.bytes
            for command in batch.dropFirst() { bytes += command.bytes }
            try bytes.withSpan { bytes throws(RedisFailure) in
                try connection.write(bytes, until: first.deadline)
            }
            for index in batch.indices {
                var reply: RedisReply?
                while reply == nil {
                    reply = try connection.reply(until: open.first?.deadline ?? end)
                    guard reply == nil else { break }
                    guard let late = open.popFirst() else { throw .slow }
                    late.answer.give(.failure(.slow))
                }
                guard let reply else { throw .slow }
                let failure = reply.failure(unless: batch[index].replies)
                if index == open.startIndex {
                    open.popFirst()?.answer.give(failure.map { .failure($0) } ?? .success(reply))
                }
                if let failure, failure.endsConnection { throw failure }
            }
        } catch {
            for command in open { command.answer.give(.failure(error)) }
            throw error
        }
    }
}
#endif
