#if Redis
import Dispatch
import EntitlementKeys
import EntitlementValues
import Synchronization
import TokenRedemption

/// Passes waiting redemptions to a few connections, in batches.
///
/// Each connection has a thread of its own while there is something to do, so that waiting for a server blocks no
/// thread of a task. A redemption is answered exactly once: by its reply, by a failure of its connection, or by the
/// time limit.
final class RedisPool: Sendable {
    let address: RedisAddress
    let settings: RedisPoolSettings
    private let password: KeyPassword?
    private let time: TimeSource
    private let onWarning: @Sendable (RedisWarning) -> Void
    private let command: RedisRedeemCommand
    private let workers: [Worker]
    private let state: Mutex<State>
    private let timekeeper = DispatchQueue(label: "redis redemptions: time limit")

    init(
        _ address: RedisAddress,
        password: KeyPassword?,
        settings: RedisPoolSettings,
        time: TimeSource,
        onWarning: @escaping @Sendable (RedisWarning) -> Void
    ) {
        self.address = address
        self.settings = settings
        self.password = password
        self.time = time
        self.onWarning = onWarning
        command = RedisRedeemCommand(prefix: settings.prefix)
        workers = (0..<settings.connections).map { _ in Worker() }
        state = Mutex(State(workers: settings.connections))
    }

    /// One connection and the thread that uses it.
    private final class Worker: Sendable {
        let queue = DispatchQueue(label: "redis redemptions: connection")
        /// Held while the thread works; no other thread takes it.
        let session = Mutex<RedisSession?>(nil)
    }

    /// The maximum number of redemptions in a batch: the first one waits until all of them are written.
    private static let maximumPerBatch = 512

    /// Accepts a redemption, which is answered later.
    func enqueue(_ redemption: PendingRedemption) {
        let (worker, refusal, setsTimer) = state.withLock { state in
            state.admit(redemption, maximumWaiting: settings.maximumWaiting, now: time.uptime)
        }
        if let refusal { return redemption.answer(.failure(error(refusal))) }
        if let worker { start(worker) }
        if setsTimer { setTimer(for: redemption.deadline) }
    }

    /// The error that callers get.
    func error(_ failure: RedisFailure) -> ReplayStoreError {
        .unavailable(reason: "\(address) \(failure.reason)")
    }

    /// Opens a connection for this question alone, answers with the warnings, and closes the connection.
    func inspect(_ answer: OneAnswer<Set<RedisWarning>>) {
        let deadline = time.uptime + settings.timeLimit.duration
        DispatchQueue(label: "redis redemptions: inspection").async { [self] in
            do throws(RedisFailure) {
                let session = try RedisSession.open(address, password: password, time: time, until: deadline)
                answer.give(.success(session.warnings))
            } catch {
                answer.give(.failure(self.error(error)))
            }
        }
        timekeeper.asyncAfter(deadline: .now() + .milliseconds(Int(settings.timeLimit.milliseconds))) { [self] in
            answer.give(.failure(error(.slow)))
        }
    }
}

// MARK: - The time limit

extension RedisPool {
    /// Refuses redemptions that wait too long for a connection: the look-up of a host name alone can take seconds.
    private func setTimer(for deadline: Duration) {
        let left = (deadline - time.uptime).components
        let milliseconds = Int(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000) + 1
        timekeeper.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            let (late, next) = state.withLock { $0.removeLate(now: time.uptime) }
            for redemption in late { redemption.answer(.failure(error(.slow))) }
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

    /// Sends one batch and answers it.
    ///
    /// - Returns: Whether there may be more to do.
    private func serve(_ index: Int, _ session: inout RedisSession?) -> Bool {
        do throws(RedisFailure) {
            try connect(index, &session)
            guard let current = session.take() else { return false }
            let batch = state.withLock { $0.nextBatch(of: Self.maximumPerBatch, for: index, now: time.uptime) }
            guard let batch else {
                session = consume current
                return false
            }
            try exchange(batch, over: current.connection)
            session = consume current
            state.withLock { $0.succeeded() }
            return true
        } catch {
            let (goesOn, refused) = state.withLock { $0.failed(index, error, now: time.uptime) }
            for redemption in refused { redemption.answer(.failure(self.error(error))) }
            return goesOn
        }
    }

    /// Keeps or opens a session that can be used; leaves `nil` if there is nothing to do for it.
    private func connect(_ index: Int, _ session: inout RedisSession?) throws(RedisFailure) {
        if let current = session.take() {
            let isCurrent = state.withLock { $0.generation == current.generation }
            // A server closes connections that were idle for long; no redemption is lost if that is noticed before it
            // is sent.
            if isCurrent, current.connection.isQuiet {
                session = consume current
                return
            }
        }
        let (connects, refused, reason) = state.withLock { $0.mayConnect(index, now: time.uptime) }
        for redemption in refused { redemption.answer(.failure(error(reason))) }
        guard connects else { return }
        var opened = try RedisSession.open(
            address, password: password, time: time, until: time.uptime + settings.timeLimit.duration)
        let (runID, found) = (opened.runID, opened.warnings)
        let (generation, warnings) = state.withLock { $0.connected(index, runID: runID, warnings: found) }
        opened.generation = generation
        session = consume opened
        for warning in warnings { onWarning(warning) }
    }

    /// Writes a batch and reads its replies, which arrive in the same order.
    ///
    /// A redemption whose deadline passes is answered at once; its reply is still read, and dropped.
    private func exchange(_ batch: [PendingRedemption], over connection: borrowing RedisConnection) throws(RedisFailure)
    {
        var open = batch[...]
        do throws(RedisFailure) {
            guard let first = batch.first else { return }
            var bytes: [UInt8] = []
            for redemption in batch {
                command.append(id: redemption.id, milliseconds: redemption.milliseconds, to: &bytes)
            }
            let commands = bytes[...]
            try connection.write(commands.span, until: first.deadline)
            for index in batch.indices {
                var reply: RedisReply?
                while reply == nil {
                    guard let deadline = open.first?.deadline else { throw .slow }
                    reply = try connection.reply(until: deadline)
                    if reply == nil { open.popFirst()?.answer(.failure(error(.slow))) }
                }
                guard let reply else { throw .slow }
                let result = Self.result(of: reply)
                if index == open.startIndex { open.popFirst()?.answer(result.mapError(error)) }
                // After an unexpected answer the next ones cannot be matched to their commands; after some errors
                // only a new connection can help.
                if case .failure(let failure) = result, reply.endsConnection { throw failure }
            }
        } catch {
            for redemption in open { redemption.answer(.failure(self.error(error))) }
            throw error
        }
    }

    private static func result(of reply: RedisReply) -> Result<Redemption, RedisFailure> {
        switch reply {
        case .okay: .success(.first)
        case .null: .success(.seen)
        default: .failure(reply.failure)
        }
    }
}
#endif
