#if Client
import BrokerClient
package import DeviceRecords
package import EntitlementValues
import ServiceResponses

/// An instant, by the two clocks that a session goes by.
package struct Moment: Sendable {
    /// The time of day, in which codes and leases end.
    package let now: Timestamp
    /// The clock by which it is asked again.
    package let uptime: Duration

    package init(now: Timestamp, uptime: Duration) { (self.now, self.uptime) = (now, uptime) }
}

/// Whose turn it is to ask the broker for a sign-in.
package enum PollingTurn: Sendable, Hashable {
    /// This session asks.
    case mine
    /// Another session does, until it stops and its lease ends.
    case others(until: Timestamp)
    /// Nothing is to be asked: the code has gone, and the record tells why.
    case over
}

/// The wait of a session for one sign-in: when it looks at the record, when it asks the broker, and how it ends.
///
/// It does nothing by itself, and has no clock.
package struct SignInWait: Sendable {
    /// What is to be done next.
    package enum Look: Sendable, Hashable { case codeEnded, question, record }

    /// What a reading of the record says of the wait.
    package enum Finding: Sendable, Hashable { case nothing, superseded, codeEnded, signedIn(SignIn) }

    private enum Mode: Sendable, Hashable {
        /// The browser is away: only the record is looked at.
        case looking
        /// This session asks the broker, from an uptime on.
        case asking(from: Duration)
        /// Another session has the lease on polling, and this one asks from an uptime on.
        case yielding(until: Duration)
    }

    /// How often the record is looked at.
    private static let recordInterval = Duration.seconds(1)
    /// The broker wants at least this between two questions.
    private static let shortestInterval = Duration.seconds(3)

    /// Tells it from others of the session.
    package let number: UInt64
    let requestor: RequestorID
    /// The code of the sign-in, which has the epoch.
    package let code: PendingCode
    /// How the wait ends.
    package let verdict = Promise<SignIn>()
    /// How many calls of `awaitAuthentication` wait.
    package private(set) var listeners = 0
    private let interval: Duration
    private var mode: Mode
    /// When the broker was asked last, by uptime; `nil` if this session has not asked.
    private var lastQuestion: Duration?
    /// The version of the device's record that was looked at last.
    private var version: Int64?
    /// Looks again and again.
    private var task: Task<Void, Never>?

    package init(
        number: UInt64,
        for code: PendingCode,
        of requestor: RequestorID,
        asking asks: Bool,
        every interval: Duration,
        at moment: Moment
    ) {
        (self.number, self.code, self.requestor) = (number, code, requestor)
        self.interval = max(interval, Self.shortestInterval)
        mode = asks ? .asking(from: moment.uptime) : .looking
    }

    mutating func run(_ task: Task<Void, Never>) { self.task = task }

    // MARK: Looking

    package func look(at moment: Moment) -> Look {
        guard moment.now < code.until else { return .codeEnded }
        return switch mode {
        case .looking: .record
        case .asking(let start), .yielding(let start): moment.uptime >= start ? .question : .record
        }
    }

    /// After which time to look again, if nothing was asked.
    package func pause(at moment: Moment) -> Duration { min(Self.recordInterval, left(at: moment)) }

    private func left(at moment: Moment) -> Duration { code.until.since(moment.now).duration }

    /// Whether the record is another one than that of the last look.
    package func isNew(_ version: Int64?) -> Bool { version != self.version }

    /// Takes in a reading of the record; as long as another session has the lease, only its version is looked at.
    package mutating func saw(
        _ record: RequestorRecord,
        version: Int64?,
        as session: String,
        at moment: Moment
    ) -> Finding {
        self.version = version
        if case .yielding = mode {
            if let lease = record.lease, lease.poller != session, lease.holds(at: moment.now) {
                yield(until: lease.until, at: moment)
            } else {
                mode = .asking(from: moment.uptime)
            }
        }
        guard record.pendingCode != code else { return .nothing }
        guard record.epoch == code.epoch else { return .superseded }
        // A user who was signed in before the code was made does not count as its success.
        guard let signIn = record.signIn(at: moment.now), record.lastSignIn == signIn.mvpd else { return .codeEnded }
        return .signedIn(signIn)
    }

    // MARK: Asking

    /// Takes the lease on polling in a record, or keeps it, so that one session of all processes asks for a device.
    ///
    /// It is written every other time.
    package func turn(in record: inout RequestorRecord, as session: String, at now: Timestamp) -> PollingTurn {
        guard record.epoch == code.epoch, record.pendingCode == code else { return .over }
        let margin = TimeToLive(milliseconds: Int64(interval / .milliseconds(1)) + 1000)
        if let lease = record.lease, lease.poller == session, lease.until.since(now) > margin { return .mine }
        if record.takeLease(as: session, at: now) { return .mine }
        return .others(until: record.lease?.until ?? now)
    }

    /// Waits for the end of another session's lease.
    package mutating func yield(until end: Timestamp, at moment: Moment) {
        mode = .yielding(until: moment.uptime + end.since(moment.now).duration)
    }

    /// Notes that a question begins.
    package mutating func asks(at moment: Moment) { lastQuestion = moment.uptime }

    /// How long the broker still wants to be left alone before the next question; `nil` if this session has not asked.
    package func questionPause(at moment: Moment) -> Duration? {
        lastQuestion.map { max(.zero, $0 + Self.shortestInterval - moment.uptime) }
    }

    /// The browser has come back: the call that saw it asks at once, and the task of the wait goes on after an interval.
    package mutating func browserReturned(at moment: Moment) {
        let next = moment.uptime + interval
        if case .yielding = mode { mode = .yielding(until: next) } else { mode = .asking(from: next) }
    }

    /// Notes that a question found no sign-in; returns after which time to look again.
    ///
    /// A proxy may ask for a longer pause; still, a question just before the code ends finds a user who has signed in
    /// meanwhile.
    package mutating func asked(retryAfter: Duration?, at moment: Moment) -> Duration {
        let left = left(at: moment)
        let pause = min(max(interval, retryAfter ?? .zero), max(interval, left - interval))
        mode = .asking(from: moment.uptime + pause)
        // While questions pause, the record is looked at.
        return min(pause > interval ? Self.recordInterval : pause, left)
    }

    // MARK: Listening

    package mutating func join() { listeners += 1 }

    /// Returns whether no task wants to know any more, so that the record need not be looked at.
    package mutating func leave() -> Bool {
        listeners -= 1
        return listeners <= 0 && mode == .looking
    }

    // MARK: Ending

    /// Ends it with its success.
    ///
    /// Its task ends by itself: it may be the one that carries on what waited for the sign-in.
    func finish(with signIn: SignIn) { verdict.end(with: .success(signIn)) }

    /// Ends it from outside of its task.
    func stop(with answer: Result<SignIn, EntitlementFlowError>) {
        task?.cancel()
        verdict.end(with: answer)
    }
}

// What answers to its questions mean for a wait.

extension BrokerError {
    /// Whether a later question may be answered, so that the failure ends no wait.
    var isDisturbance: Bool {
        switch self {
        case .throttled, .unavailable, .pollSkipped, .transport, .unreadable: true
        case .refused(_, let status): status >= 500
        default: false
        }
    }

    /// How long the broker wants to be left alone; `nil` if it does not say.
    var pause: Duration? {
        switch self {
        case .throttled(let retryAfter), .unavailable(_, let retryAfter): retryAfter
        default: nil
        }
    }
}
#endif
