#if Client
public import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import Synchronization

/// The sessions of all devices of a server.
///
/// ```swift
/// let sessions = DeviceSessions(for: application) { session throws(EntitlementFlowError) in
///     try await session.setRequestor("REF30")
/// }
/// let outcome = try await sessions.with(device) { session in
///     try await session.getAuthorization("TestChannel")
/// }
/// ```
///
/// A device has one session in a process, however many calls ask for it at once: its commands run one after the other.
/// Sessions are made on demand. Those that are not in use go, after some time or if there are too many; the device's
/// record has all that the next one needs, in this process or another one. Another process does not know what was to follow
/// a logout page that is open: a forced sign-in has to be asked for again there.
public final class DeviceSessions: Sendable {
    /// Makes a new session ready, usually with `setRequestor`.
    public typealias Preparation = @Sendable (EntitlementSession) async throws(EntitlementFlowError) -> Void

    /// When sessions go.
    public struct Limits: Sendable, Hashable {
        /// How many sessions are kept, 1 at least; more only while those are in use, or their browser is at a logout page.
        public var capacity = 10_000
        /// How long a session is kept after its last use; for half an hour at least if its browser is at a logout page.
        public var idleTime: Duration = .seconds(600)

        /// Makes the default limits.
        public init() {}
    }

    /// The application on whose behalf the devices talk.
    public let application: EntitlementApplication
    /// When sessions go.
    public let limits: Limits

    let prepare: Preparation
    let table = Mutex(SessionTable())

    /// Makes no session yet.
    ///
    /// - Parameters:
    ///   - application: The application on whose behalf the devices talk.
    ///   - limits: When sessions go.
    ///   - prepare: Makes a new session ready before its first use. If it throws, the calls that wait for it throw the
    ///     same, and the next one tries again.
    public init(
        for application: EntitlementApplication,
        limits: Limits = Limits(),
        preparing prepare: @escaping Preparation = { _ in }
    ) {
        (self.application, self.limits, self.prepare) = (application, limits, prepare)
    }

    deinit { table.withLock(\.evictions)?.cancel() }

    /// How many sessions there are.
    public var count: Int { table.withLock(\.entries.count) }

    /// How many calls of ``with(_:options:_:)`` run.
    public var useCount: Int { table.withLock(\.useCount) }

    /// Uses the session of a device.
    ///
    /// A session goes only if none of these is true: a call of this method runs for the device, a command runs, a stream
    /// of ``EntitlementSession/events()`` is listened to, a sign-in is waited for, the browser is at a logout page, which counts
    /// for half an hour. Do not keep the session after `body` has returned: the device may have another one by then.
    ///
    /// - Parameters:
    ///   - device: The device, with what it says of itself now. If its record has another identifier, that one counts.
    ///   - options: What the device wants now; `nil` leaves its options as they are. They count for the calls of `body`,
    ///     whatever other uses of the session bring meanwhile; so does what the device says of itself. Calls of a task
    ///     that outlives `body` have the newest.
    ///   - body: Uses the session.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws; `EntitlementFlowError`: `.shutDown` after ``drain(within:)`` was called,
    ///   `.cancelled`, and what the preparation throws.
    public func with<Answer>(
        _ device: Device,
        options: SessionOptions? = nil,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        try await with(device, options: options, isLasting: true, body)
    }

    /// Uses the session of a device, perhaps for another screen that its user has in the hand.
    ///
    /// `isLasting` says whether the device itself says and wants this; else it counts for the calls of `body` alone,
    /// and the polls of a sign-in keep the address of the device. Throws as ``with(_:options:_:)`` does.
    package func with<Answer>(
        _ device: Device,
        options: SessionOptions?,
        isLasting: Bool,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        let use = try begin(device, options)
        defer { end(use.session, of: device.key) }
        try await use.preparation?.value()
        let mine = await use.session.beginUse(by: device, options, isLasting: isLasting)
        defer { mine.end() }
        return try await CallContext.$ofUse.withValue(mine) { try await body(use.session) }
    }

    // MARK: Uses

    private func begin(
        _ device: Device,
        _ options: SessionOptions?
    ) throws(EntitlementFlowError) -> (session: EntitlementSession, preparation: Promise<Void>?) {
        let now = application.time.uptime
        let use = table.withLock { table -> (EntitlementSession, Promise<Void>?, isNew: Bool)? in
            guard !table.isDraining else { return nil }
            table.useCount += 1
            if let known = table.use(device.key) { return (known.session, known.preparation, false) }
            let session = EntitlementSession(of: device, for: application, options: options ?? SessionOptions())
            let preparation = Promise<Void>()
            table.entries[device.key] = SessionTable.Entry(session: session, preparation: preparation, lastUse: now)
            return (session, preparation, true)
        }
        guard let use else { throw .shutDown }
        let (session, preparation, isNew) = use
        if isNew, let preparation {
            // Not the caller's task: if its call is cancelled, those who wait for the same session go on.
            Task.detached { [self] in await ready(session, of: device.key, telling: preparation) }
            keepTidy()
        }
        return (session, preparation)
    }

    /// Makes a new session ready, and takes it away again if that fails.
    private func ready(
        _ session: EntitlementSession,
        of device: DeviceKey,
        telling preparation: Promise<Void>
    ) async {
        let answer: Result<Void, EntitlementFlowError>
        do throws(EntitlementFlowError) {
            answer = .success(try await prepare(session))
        } catch {
            answer = .failure(error)
        }
        table.withLock { table in
            guard let entry = table.entries[device], entry.session === session else { return }
            if case .success = answer { table.entries[device]?.preparation = nil } else { table.entries[device] = nil }
        }
        preparation.end(with: answer)
    }

    private func end(_ session: EntitlementSession, of device: DeviceKey) {
        let now = application.time.uptime
        let capacity = max(1, limits.capacity)
        let (last, isTooFull, isAbove) = table.withLock { table -> ([Promise<Void>], Bool, Bool) in
            table.endUse(of: session, device, at: now)
            return (table.takeWaiters(), table.mustEvict(capacity), table.entries.count > capacity)
        }
        for waiter in last { waiter.end(with: .success(())) }
        if isTooFull {
            Task.detached { [self] in await evict() }
        } else if isAbove {
            // Those that were there before were found in use; this one may not be.
            Task.detached { [self] in await evict(device) }
        }
    }
}

extension DeviceSessions {
    /// Ends all sessions when the server shuts down.
    ///
    /// From now on no use begins. Sign-ins that are waited for are given up here, so that another process asks the broker
    /// for them at once; their waits end as `.shutDown`. Then this waits for the calls that use sessions. The devices
    /// notice nothing: another process goes on with what their records hold.
    ///
    /// - Parameter limit: How long to wait for the calls.
    /// - Returns: Whether all have ended.
    @discardableResult
    public func drain(within limit: Duration) async -> Bool {
        let (sessions, uses) = table.withLock { table in
            table.isDraining = true
            return (table.entries.values.map(\.session), table.wait())
        }
        await stopWaiting(in: sessions)
        let time = application.time
        let deadline = time.uptime + limit
        let timer = Task.detached {
            try? await time.sleep(untilUptime: deadline)
            uses.end(with: .failure(.cancelled))
        }
        let hasEnded = (try? await uses.value()) != nil
        timer.cancel()
        // Calls that were under way may have begun new sign-ins.
        await stopWaiting(in: sessions)
        let evictions = table.withLock { table in
            defer { (table.entries, table.evictions) = ([:], nil) }
            return table.evictions
        }
        evictions?.cancel()
        return hasEnded
    }

    private func stopWaiting(in sessions: [EntitlementSession]) async {
        await withTaskGroup { group in
            for session in sessions { group.addTask { await session.stopWaiting() } }
        }
    }
}
#endif
