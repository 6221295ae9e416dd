#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses

/// Brings the access tokens that authorize calls.
protocol AccessTokenSource: Sendable {
    /// The application's own access token, which takes the place of all others; `nil` if there is none.
    var borrowed: BearerToken? { get }

    /// An access token for a call; it has not ended as far as is known, and is of the client if there is one.
    ///
    /// The broker has refused `refused`, which must not be returned again. `client` is the credentials of the call's
    /// token before; `nil` for its first one, which alone may register the device. Throws `.store` if the client is
    /// gone.
    func token(
        insteadOf refused: AccessToken?,
        of client: ClientCredentials?,
        within limit: Duration
    ) async throws(BrokerError) -> HeldToken
}

/// One call on its way: by when it has to end, and how often its requests were repeated.
///
/// A call for an access token that another call needs is a run of its own.
struct CallRun: Sendable {
    /// The shortest wait after an answer that there are too many requests: the broker counts by seconds.
    private static let shortestThrottledWait: Duration = .seconds(1)

    private let broker: Broker
    private let endpoint: BrokerEndpoint
    private let priority: RequestPriority
    /// The uptime by which the whole call has to end.
    private let deadline: Duration
    private var throttledRepeats = 0
    private var failureRepeats = 0
    /// Whether a part of any request may have reached the broker.
    private var mayHaveBeenSent = false
    /// As which client the call has begun; `nil` as long as it had no access token.
    private(set) var client: ClientCredentials?

    init(
        of endpoint: BrokerEndpoint,
        at broker: Broker,
        _ priority: RequestPriority,
        before deadline: Duration,
        goingOnAs client: ClientCredentials? = nil
    ) {
        (self.endpoint, self.broker, self.priority, self.deadline) = (endpoint, broker, priority, deadline)
        self.client = client
    }

    /// How long the call may still take; negative once its time is over.
    private var timeLeft: Duration { deadline - broker.time.uptime }

    /// Makes a call with an access token, and again with another one if the broker does not take it.
    ///
    /// The status decides, not the body, whose form has changed over time. Only a token that the broker has just made
    /// tells of the credentials: one that another process has stored may have been refused, too.
    ///
    /// All tokens of a call are those of one client: a device that is erased meanwhile is not registered anew by it.
    mutating func answer<Answer>(
        to call: BrokerCall<Answer>,
        with tokens: some AccessTokenSource
    ) async throws(BrokerError) -> Answer {
        if let borrowed = tokens.borrowed { return try await answer(to: call, borrowing: borrowed) }
        var held = try await tokens.token(insteadOf: nil, of: client, within: timeLeft)
        client = held.credentials
        var answer = try await exchange(call, bearing: held.token.bearer)
        // The store's token, one that another call took from there meanwhile, and then one that is new.
        for _ in 0..<3 where answer.head.status == .unauthorized {
            held = try await tokens.token(insteadOf: held.token, of: client, within: timeLeft)
            broker.observer.count(repeatBecause: .unauthorized)
            answer = try await exchange(call, bearing: held.token.bearer)
            if held.isNew { break }
        }
        return try rethrowing(call.value(of: answer, at: broker.time.now)) { (error: BrokerError) in
            error.refusing(held.credentials)
        }
    }

    /// Makes a call with the application's own access token, which nothing here could renew.
    private mutating func answer<Answer>(
        to call: BrokerCall<Answer>,
        borrowing token: BearerToken
    ) async throws(BrokerError) -> Answer {
        let answer = try await exchange(call, bearing: token)
        guard answer.head.status != .unauthorized else { throw .borrowedTokenRefused }
        do throws(BrokerError) {
            return try call.value(of: answer, at: broker.time.now)
        } catch {
            // What has ended is a registration of the application's own, whatever the status says.
            if case .registration = error { throw .borrowedTokenRefused }
            throw error
        }
    }

    private mutating func exchange<Answer>(
        _ call: BrokerCall<Answer>,
        bearing token: BearerToken
    ) async throws(BrokerError) -> HTTPAnswer {
        var request = call.request
        // The call has none yet.
        request.headerFields.append(HTTPField(name: .authorization, value: token.headerValue))
        return try await exchange(request, body: call.body, repetition: call.repetition)
    }

    /// Sends a request until there is an answer that tells more than to try again, of any status but 429.
    ///
    /// The request has all of its header fields. `repetition` says when it may be repeated.
    mutating func exchange(
        _ request: HTTPRequest,
        body: [UInt8],
        repetition: BrokerEndpoint.Repetition
    ) async throws(BrokerError) -> HTTPAnswer {
        while true {
            try await takeTurn(for: request)
            let answer: HTTPAnswer
            do throws(TransportFailure) {
                answer = try await send(request, body)
            } catch {
                if error.reason == .cancelled || Task.isCancelled { throw .cancelled }
                guard error.isWorthRepeating, repetition == .afterFailures || !error.mayHaveBeenSent,
                    try await pauseAfterFailure()
                else { throw .transport(error) }
                continue
            }
            switch answer.head.status.code {
            case 429:
                broker.pacer.noteRefusal(of: request.clientAddress)
                let retryAfter = answer.retryAfter(at: broker.time.now)
                guard try await pauseAfterThrottling(retryAfter) else {
                    throw .throttled(retryAfter: retryAfter.map { max($0, Self.shortestThrottledWait) })
                }
            case 500...599 where repetition == .afterFailures && !answer.willStayTheSame:
                let retryAfter = answer.retryAfter(at: broker.time.now)
                guard try await pauseAfterFailure(atLeast: retryAfter ?? .zero) else { return answer }
            default:
                return answer
            }
        }
    }

    /// Waits before the failed items of an answer are asked for again, and tells whether they may be.
    ///
    /// `false` at once if the call was repeated too often, or would come too late. Throws `.cancelled`.
    mutating func pauseForItems() async throws(BrokerError) -> Bool {
        try await pauseAfterFailure(because: .items)
    }

    private func takeTurn(for request: HTTPRequest) async throws(BrokerError) {
        if Task.isCancelled { throw .cancelled }
        switch await broker.pacer.turn(for: request.clientAddress, priority, within: timeLeft) {
        case .granted(let waited): broker.observer.count(pacerWait: waited)
        case .skipped(let wait): throw .pollSkipped(retryAfter: wait)
        case .tooLate(let wait): throw .throttled(retryAfter: wait)
        case .cancelled: throw .cancelled
        }
    }

    private mutating func send(_ request: HTTPRequest, _ body: [UInt8]) async throws(TransportFailure) -> HTTPAnswer {
        let left = timeLeft
        guard left > .zero else { throw TransportFailure(.timeout, mayHaveBeenSent: mayHaveBeenSent) }
        broker.observer.trace(request, body, of: endpoint)
        do throws(TransportFailure) {
            let answer = try await broker.transport.send(request, body: body, within: left)
            mayHaveBeenSent = true
            broker.clock.note(answer, at: broker.time.now)
            broker.observer.trace(answer, of: endpoint)
            return answer
        } catch {
            mayHaveBeenSent = mayHaveBeenSent || error.mayHaveBeenSent
            broker.observer.trace(error, of: endpoint)
            throw error
        }
    }

    private mutating func pauseAfterThrottling(_ retryAfter: Duration?) async throws(BrokerError) -> Bool {
        broker.observer.countThrottled(endpoint)
        guard throttledRepeats < broker.settings.maximumRepeatsWhenThrottled else { return false }
        let wait = retryAfter ?? Backoff.throttled.wait(after: throttledRepeats)
        guard try await pause(max(wait, Self.shortestThrottledWait)) else { return false }
        throttledRepeats += 1
        broker.observer.count(repeatBecause: .throttled)
        return true
    }

    private mutating func pauseAfterFailure(
        atLeast shortest: Duration = .zero,
        because reason: RepeatReason = .failure
    ) async throws(BrokerError) -> Bool {
        guard failureRepeats < broker.settings.maximumRepeatsAfterFailures,
            try await pause(max(shortest, Backoff.failed.wait(after: failureRepeats)))
        else { return false }
        failureRepeats += 1
        broker.observer.count(repeatBecause: reason)
        return true
    }

    /// Waits, or returns `false` at once if the wait would reach the deadline.
    private func pause(_ wait: Duration) async throws(BrokerError) -> Bool {
        let end = broker.time.uptime + wait
        guard end < deadline else { return false }
        try await rethrowing(awaiting: await broker.time.sleep(untilUptime: end)) { (_: CancellationError) in
            BrokerError.cancelled
        }
        return true
    }
}

extension TransportFailure {
    /// Whether another attempt may end otherwise: an untrusted certificate or an answer that is too long stays as it is.
    fileprivate var isWorthRepeating: Bool {
        switch reason {
        case .connecting, .reset, .timeout: true
        case .request, .tls, .malformed, .tooLong, .cancelled, .shutDown: false
        }
    }
}

extension HTTPAnswer {
    /// Whether the broker says that a person has to act before another attempt can end otherwise.
    fileprivate var willStayTheSame: Bool {
        switch enhancedError?.action {
        case .configuration?, .applicationRegistration?, .authentication?: true
        default: false
        }
    }
}

extension HTTPRequest {
    /// The client's address that the request states, by which the broker counts.
    fileprivate var clientAddress: String? {
        HTTPField.Name.clientAddress.flatMap { headerFields[$0] }
    }
}

/// The waits before the repeats of one call: each is twice as long as the one before, and up to a quarter longer by
/// chance, so that clients that failed together do not come back together.
struct Backoff: Sendable {
    /// After an answer that there are too many requests: 1, 2 and 4 s.
    static let throttled = Backoff(first: .seconds(1))
    /// After a failure: 250 and 500 ms.
    static let failed = Backoff(first: .milliseconds(250))

    /// The shortest first wait.
    let first: Duration

    /// The wait before a repeat: up to a quarter more than the shortest wait, at random.
    ///
    /// `repeats` is how many there were before; for the first one it is 0.
    func wait(after repeats: Int) -> Duration {
        let shortest = first * (1 << min(repeats, 16))
        return shortest + .nanoseconds(Int64.random(in: 0...(shortest / 4).nanoseconds))
    }
}
#endif
