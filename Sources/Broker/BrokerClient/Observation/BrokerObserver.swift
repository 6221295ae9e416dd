#if Client
import BrokerMessages
import CoreMetrics
import EntitlementValues
import HTTPTypes
import Instrumentation
public import Logging
public import Metrics
public import Tracing

/// Where a broker's calls are logged, counted and traced.
///
/// None of it holds a token, a secret, a code, an identifier of a device or an attribute of a user.
public struct BrokerObservation: Sendable {
    /// Takes a line when the broker fails (`error`), throttles (`warning`) or answers again (`notice`), with its `origin`;
    /// when it refuses the application, or ends a device's registration (`error`), and when it accepts the application again
    /// (`notice`); a line for each call at the level `debug`, but for failures of the store (`error`); and each request and
    /// answer, masked, at the level `trace`.
    public var logger: Logger
    /// Takes counts and durations, with labels of a fixed set; `nil` for the backend that the process has at the first call.
    public var metrics: (any MetricsFactory)?
    /// Takes a span for each call; `nil` for the tracer of the process.
    public var tracer: (any Tracer)?
    /// Takes each request and answer, masked; `nil` for nothing.
    public var trace: BrokerTrace?

    /// Describes where calls are observed.
    ///
    /// - Parameters:
    ///   - logger: Takes log lines; without one, nothing is logged.
    ///   - metrics: Takes counts and durations; `nil` for the backend of the process.
    ///   - tracer: Takes spans; `nil` for the tracer of the process.
    ///   - trace: Takes each request and answer, masked; `nil` for nothing.
    public init(
        logger: Logger = Logger(label: "tve.broker") { _ in SwiftLogNoOpLogHandler() },
        metrics: (any MetricsFactory)? = nil,
        tracer: (any Tracer)? = nil,
        trace: BrokerTrace? = nil
    ) {
        (self.logger, self.metrics, self.tracer, self.trace) = (logger, metrics, tracer, trace)
    }
}

/// Takes what is sent to the broker and what comes back, with everything secret masked.
///
/// It is called while a call waits for it, so it should not take long.
public typealias BrokerTrace = @Sendable (BrokerTraceEvent) -> Void

/// Tells logs, metrics, spans and traces what happens.
struct BrokerObserver: Sendable {
    private let logger: Logger
    private let metrics: BrokerMetrics
    private let tracer: (any Tracer)?
    private let hook: BrokerTrace?
    private let condition = BrokerCondition()

    init(_ observation: BrokerObservation) {
        (logger, tracer, hook) = (observation.logger, observation.tracer, observation.trace)
        metrics = BrokerMetrics(observation.metrics)
    }

    // MARK: Calls

    /// Runs a call in a span, and counts, times and logs it.
    func measuring<Answer>(
        _ endpoint: BrokerEndpoint,
        by caller: Caller,
        _ call: () async throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        let (environment, time) = (caller.broker.environment, caller.broker.time)
        let start = time.uptime
        let result = await inSpan(endpoint, call)
        let duration = time.uptime - start
        let outcome: CallOutcome
        switch result {
        case .success: outcome = .success
        case .failure(let error): outcome = CallOutcome(error)
        }
        metrics.count(endpoint, outcome, taking: duration)
        log(endpoint, result, taking: duration, for: caller.device)
        noteCondition(
            of: environment.origin(of: endpoint) ?? environment.api, after: result, for: caller.device, at: time.uptime)
        noteAcceptance(of: caller, after: result, of: endpoint, at: time.uptime)
        return try result.get()
    }

    private func inSpan<Answer>(
        _ endpoint: BrokerEndpoint,
        _ call: () async throws(BrokerError) -> Answer
    ) async -> Result<Answer, BrokerError> {
        let tracer = tracer ?? InstrumentationSystem.tracer
        // Compares types, which costs a fraction of a cast.
        guard type(of: tracer) != NoOpTracer.self else { return await Result(of: call) }
        return await tracer.withAnySpan("broker \(endpoint.rawValue)", context: .current ?? .topLevel, ofKind: .client)
        {
            span in
            let result = await Result(of: call)
            if case .failure(let error) = result {
                // Not `recordError`, which may keep the error itself and its texts.
                span.attributes["error.type"] = error.code
                span.setStatus(SpanStatus(code: .error))
                if let status = error.status { span.attributes["http.response.status_code"] = status }
            }
            return result
        }
    }

    private func log<Answer>(
        _ endpoint: BrokerEndpoint,
        _ result: Result<Answer, BrokerError>,
        taking time: Duration,
        for device: Device
    ) {
        switch result {
        case .success:
            logger.debug(
                "broker call",
                metadata: ["endpoint": "\(endpoint.rawValue)", "ms": "\(time.nanoseconds / 1_000_000)"])
        case .failure(let error):
            logger.log(
                level: error.logLevel, "broker call failed: \(error.reason(for: device))",
                metadata: [
                    "endpoint": "\(endpoint.rawValue)", "ms": "\(time.nanoseconds / 1_000_000)",
                    "code": "\(error.code)",
                ])
        }
    }

    /// Tells operators once when the broker fails or throttles, and once when it answers again.
    private func noteCondition<Answer>(
        of origin: BrokerOrigin,
        after result: Result<Answer, BrokerError>,
        for device: Device,
        at uptime: Duration
    ) {
        let state: BrokerCondition.State?
        switch result {
        case .success: state = .answering
        case .failure(let error): state = BrokerCondition.State(after: error)
        }
        guard let state, let change = condition.change(to: state, of: .init(origin: origin), at: uptime) else { return }
        let seconds = change.lasted.components.seconds
        var metadata: Logger.Metadata = ["origin": "\(origin)"]
        switch change.state {
        case .answering, .refusing: logger.notice("the broker answers again after \(seconds) s", metadata: metadata)
        case .throttling:
            logger.warning("the broker takes no more requests from a client address at present", metadata: metadata)
        case .failing(let code):
            metadata["code"] = "\(code)"
            if case .failure(let error) = result { metadata["reason"] = "\(error.reason(for: device))" }
            logger.error("the broker fails", metadata: metadata)
        }
    }

    /// Tells operators once when the broker refuses the application or ends a device's registration, and once when it
    /// accepts the application again.
    private func noteAcceptance<Answer>(
        of caller: Caller,
        after result: Result<Answer, BrokerError>,
        of endpoint: BrokerEndpoint,
        at uptime: Duration
    ) {
        // What becomes of a borrowed token says nothing of the registrations that are made here.
        guard caller.borrowed == nil else { return }
        let (origin, application) = (caller.broker.environment.api, caller.broker.application.name)
        let metadata: Logger.Metadata = ["origin": "\(origin)", "application": "\(application)"]
        var subject = BrokerCondition.Subject(origin: origin, application: application)
        switch result {
        case .success:
            switch endpoint {
            case .register: subject.step = .registration
            case .token: subject.step = .accessToken
            default:
                subject.step = .call
                caller.registration.noteAcceptance()
            }
            guard let change = condition.change(to: .answering, of: subject, at: uptime) else { return }
            let seconds = change.lasted.components.seconds
            logger.notice("the broker accepts the application again after \(seconds) s", metadata: metadata)
        case .failure(.refused(_, let status)) where endpoint.family != .registration && status < 500 && status != 401:
            // The broker has taken the access token, whatever else it refuses.
            caller.registration.noteAcceptance()
        case .failure(.registration(let refusal)) where refusal.decision == .registerAnew && !refusal.isOfBrand:
            // It is about this device alone.
            guard caller.registration.noteRefusal() else { return }
            logger.error("the broker has ended a device's registration: \(refusal)", metadata: metadata)
        case .failure(.registration(let refusal)):
            subject.step = refusal.step
            let state = BrokerCondition.State.refusing(refusal.decision.rawValue)
            guard condition.change(to: state, of: subject, at: uptime) != nil else { return }
            logger.error("the broker refuses the application: \(refusal)", metadata: metadata)
        case .failure: return
        }
    }

    // MARK: Parts of calls

    func count(pacerWait wait: Duration) { metrics.record(pacerWait: wait) }
    func count(repeatBecause reason: RepeatReason) { metrics.count(reason) }
    func countThrottled(_ endpoint: BrokerEndpoint) { metrics.countThrottled(endpoint) }

    /// Notes that a new access token could not be kept; it is used all the same.
    func note(tokenNotKept error: BrokerError) {
        logger.warning("an access token could not be kept for other processes: \(error)")
    }

    /// Notes that an address in an answer was plain HTTP although it is the operator's, and is used with `https`.
    func noteRaisedAddress() {
        logger.warning("an address of the broker's operator began with http://; it is used with https://")
    }

    // MARK: Requests and answers

    func trace(_ request: HTTPRequest, _ body: [UInt8], of endpoint: BrokerEndpoint) {
        trace {
            BrokerTraceEvent(
                kind: .request, endpoint: endpoint, headline: TraceMask.headline(of: request, to: endpoint),
                fields: TraceMask.fields(request.headerFields), body: TraceMask.body(body, with: request.headerFields))
        }
    }

    func trace(_ answer: HTTPAnswer, of endpoint: BrokerEndpoint) {
        trace {
            BrokerTraceEvent(
                kind: .answer, endpoint: endpoint, headline: "status \(answer.head.status.code)",
                fields: TraceMask.fields(answer.head.headerFields),
                body: TraceMask.body(answer.body, with: answer.head.headerFields))
        }
    }

    func trace(_ failure: TransportFailure, of endpoint: BrokerEndpoint) {
        trace {
            BrokerTraceEvent(
                kind: .failure, endpoint: endpoint, headline: failure.description, fields: [], body: nil)
        }
    }

    /// Masking takes time, so it is only done if the event is wanted.
    private func trace(_ event: () -> BrokerTraceEvent) {
        guard hook != nil || logger.logLevel <= .trace else { return }
        let event = event()
        hook?(event)
        logger.trace("\(event)", metadata: ["endpoint": "\(event.endpoint.rawValue)"])
    }
}

extension Result where Failure == BrokerError {
    /// The result of an operation.
    init(of operation: () async throws(BrokerError) -> Success) async {
        do throws(BrokerError) {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}

extension BrokerError {
    /// The HTTP status of the answer, if there was one.
    fileprivate var status: Int? {
        switch self {
        case .refused(_, let status), .unavailable(let status, _): status
        case .registration(let refusal): refusal.status
        case .unreadable(let answer): answer.status
        case .throttled, .request, .transport, .pollSkipped, .unsafeAddress, .store, .cancelled, .borrowedTokenRefused:
            nil
        }
    }

    /// The description, and what may be the cause of a 500.
    fileprivate func reason(for device: Device) -> String {
        guard status == 500, device.identifier.hasOddCharacters else { return description }
        return description
            + "; the device's identifier has odd characters, to which the broker answered 500 until its release 3.8.0: make "
            + "identifiers with DeviceIdentifier(hashing:)"
    }

    /// Operators have to act on some errors; the others are the application's.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .store: .error
        default: .debug
        }
    }
}
#endif
