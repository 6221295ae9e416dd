#if Client
public import BrokerClient
public import BrokerMessages
package import DeviceRecords
import EntitlementValues
import ServiceResponses

/// The conversation of one device about what its user may watch.
///
/// Its methods are those of the operator's client library, which stops working at the end of 2026. They return what they
/// found first, and tell it as ``SessionEvent`` after that.
///
/// Commands of a session run one after the other. What must outlive the process is in the device's record, so that another
/// process can go on with it; the session itself remembers permits, listeners and what waits.
public actor EntitlementSession {
    /// The application on whose behalf the device talks.
    public nonisolated let application: EntitlementApplication
    package nonisolated let queue = SessionQueue()
    package nonisolated let listeners = SessionEvents()
    /// The session's own name, which is random: it takes leases on polling under it.
    let name: String
    /// The device, its record, and how the broker is asked.
    package let access: BrokerAccess
    /// What it remembers, and what ends what of it.
    package internal(set) var state = SessionState()

    /// Begins a conversation; nothing is sent.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - application: The application on whose behalf the device talks.
    ///   - options: What the device says of itself and wants.
    public init(of device: Device, for application: EntitlementApplication, options: SessionOptions = SessionOptions())
    {
        self.application = application
        access = BrokerAccess(of: device, for: application, options)
        name = "\(UInt64.random(in: 0...UInt64.max))"
    }

    /// The device.
    public var device: Device { access.device }

    /// What the device says of itself and wants.
    public var options: SessionOptions { access.options }

    /// The events from now on; the stream ends with the session.
    ///
    /// - Returns: A stream of its own for each call, with room for 64 events; of more, the oldest are lost, and
    ///   ``SessionEvent/missed(_:)`` says how many.
    public nonisolated func events() -> AsyncStream<SessionEvent> { listeners.listen() }

    /// Records the events from now on, as long as the recorder is kept.
    ///
    /// - Returns: The recorder, which has the events of a command as soon as that has returned.
    public nonisolated func recordEvents() -> EventRecorder { EventRecorder(listeners.addListener()) }

    /// What the operator's library would have called of its delegate for an event of this session, in order.
    ///
    /// With ``SessionOptions/namesSystemBrowser``, `navigateToUrl:useSVC:` takes the place of `navigateToUrl:` if the
    /// system's browser is to be taken.
    ///
    /// - Parameter event: An event of this session.
    /// - Returns: The callbacks; none for what the library did not tell.
    public func callbacks(of event: SessionEvent) -> [LegacyCallback] {
        event.callbacks(namingBrowser: options.namesSystemBrowser)
    }

    // MARK: What the device says and wants

    /// What the device says of itself and wants in a call that comes now: what the innermost use has in this task, else
    /// what it said last.
    package func newContext() -> CallContext {
        CallContext.ofUse?.context(of: name)
            ?? CallContext(session: name, options: options, info: device.info, userAgent: device.userAgent)
    }

    /// Changes what the device says of itself and wants.
    ///
    /// It waits for nothing, and counts from the next call on; a call that is under way or waits for its turn keeps what it
    /// came with.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - info: What the device says of itself; `nil` leaves it as it is.
    public func setOptions(_ options: SessionOptions, deviceInfo info: DeviceInfo? = nil) {
        var context = newContext()
        context.options = options
        if let info { context.info = info }
        access.take(context)
        CallContext.ofUse?.use(of: name)?.set(context)
    }
}

extension EntitlementSession {
    /// Runs a command once all earlier ones have ended, with what the device wanted when it came.
    ///
    /// Without a context, the command comes now. It fails as `.cancelled` if the task is cancelled while it waits.
    func command<Answer: Sendable>(
        in context: CallContext? = nil,
        _ body: (CallContext) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let context = context ?? newContext()
        guard await queue.enter() else { throw .cancelled }
        defer { queue.leave() }
        defer { tellOfClock(context) }
        return try await body(context)
    }

    /// Runs a command that needs the requestor, once all earlier ones have ended.
    ///
    /// It waits for a `setRequestor` that came before it. If a requestor is not set after that, it fails as that one did,
    /// or as `.requestorNotSet`. Of a command that belongs to an authentication, each failure is told.
    func requestorCommand<Answer: Sendable>(
        in context: CallContext? = nil,
        tellingFailure isTold: Bool = false,
        _ body: (SessionCall) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let awaited = state.latestSetUp
        return try await command(in: context) { context throws(EntitlementFlowError) in
            do throws(EntitlementFlowError) {
                guard case .found(let id, _) = access.requestor else {
                    throw state.failure(ofSetUp: awaited) ?? .requestorNotSet
                }
                return try await body(SessionCall(for: id, in: context))
            } catch {
                if isTold { tellFailure(of: error, ending: state.pending, context) }
                throw error
            }
        }
    }

    /// A call for the requestor of now; throws `.requestorNotSet`.
    func call(in context: CallContext) throws(EntitlementFlowError) -> SessionCall {
        guard case .found(let id, _) = access.requestor else { throw .requestorNotSet }
        return SessionCall(for: id, in: context)
    }

    /// Where the user's browser comes back to.
    func redirect(_ context: CallContext) -> String { context.options.redirect ?? application.redirect }

    /// What is told of an outcome of a call.
    func telling(_ context: CallContext) -> Telling { Telling(of: context.info, device.identifier) }

    func tell(_ events: [SessionEvent], _ context: CallContext) {
        for event in events {
            listeners.send(event)
            application.observer?(DeviceEvent(event, of: device.key, visitor: context.options.visitorIdentifier))
        }
    }

    /// Tells `CFG100`, once in a session, if the broker's answers have another time of day than this machine.
    private func tellOfClock(_ context: CallContext) {
        guard let offset = application.broker.clockOffset,
            offset.milliseconds.magnitude > Self.tolerableClockOffset.milliseconds.magnitude, state.takeClockWarning()
        else { return }
        tell([.status(SessionStatus(.clockIsWrong))], context)
    }

    /// How far the clocks may be apart: a minute, as the operator's library had it.
    private static let tolerableClockOffset = TimeToLive.seconds(60)
}

// MARK: The record

extension EntitlementSession {
    /// What the device's record holds for the requestor.
    ///
    /// If it was erased, by whatever process, nothing from before counts. If it has another identifier of the device, the
    /// session goes on with that one, and tells it.
    package func record(_ call: SessionCall) async throws(EntitlementFlowError) -> RequestorRecord {
        let (record, wasErased, hasNewIdentifier) = try await access.read(call.requestor)
        if wasErased { end(state.erased(), call.context) }
        if hasNewIdentifier {
            let message = "the device's identifier has changed"
            tell([.status(SessionStatus(.deviceChanged, message: message))], call.context)
        }
        return record
    }

    /// Changes what the device's record holds for the requestor; returns what the body returned.
    ///
    /// The body may run several times, each time with the record as it is then. `asked` is what was asked, if the
    /// change keeps the answer, which is void for another record than the question was about.
    ///
    /// Throws `.store`, `.cancelled` if the task is cancelled between two attempts, `.superseded` for an answer that is
    /// void.
    @discardableResult
    package func change<Answer: Sendable>(
        _ call: SessionCall,
        keeping asked: QuestionSubject? = nil,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        switch try await access.change(call.requestor, keeping: asked, body) {
        case .written(let answer, let wasErased):
            if wasErased { end(state.erased(), call.context) }
            return answer
        case .erased:
            end(state.erased(), call.context)
            // What is no answer is done once more, on the record that there is now.
            guard asked == nil else { throw .superseded }
            return try await change(call, body)
        }
    }

    /// Throws `.superseded` unless an answer that changes nothing still counts, by the record as it is now.
    ///
    /// Throws `.store`, too, if the record cannot be read.
    func checkStillCounts(_ asked: QuestionSubject, _ call: SessionCall) async throws(EntitlementFlowError) {
        _ = try await record(call)
        guard access.stillCounts(asked, call) else { throw .superseded }
    }
}

// MARK: What ends

extension EntitlementSession {
    /// Runs a part of an authentication, tells its failure, and throws it.
    func reporting<Answer: Sendable>(
        _ context: CallContext,
        _ body: () async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        do throws(EntitlementFlowError) {
            return try await body()
        } catch {
            tellFailure(of: error, ending: state.pending, context)
            throw error
        }
    }

    /// Tells that an authentication has failed, and ends the authorization that waited for it, if one did.
    func tellFailure(of error: EntitlementFlowError, ending request: PendingAuthorization?, _ context: CallContext) {
        tell(telling(context).failed(error), context)
        end(state.signInFailed(error, for: request), context)
    }

    /// Ends the wait for a sign-in with its success, tells it, and carries the authorization on that waited for it.
    ///
    /// It runs inside of a command. `isTold` says whether the sign-in is told; not if the user was not asked for it.
    /// What waited for it is told in any case. `endsWait` says whether the wait ends; not if it is for another
    /// sign-in.
    func succeed(
        with signIn: SignIn,
        _ call: SessionCall,
        telling isTold: Bool = true,
        endingWait endsWait: Bool = true
    ) async {
        end(state.signedIn(signIn, endingWait: endsWait), call.context)
        if isTold { tell(telling(call.context).signedIn(signIn), call.context) }
        await carryOn(state.pending, call)
    }

    /// Ends what has ended, and tells it.
    func end(_ ended: SessionState.Ended, _ context: CallContext) {
        if let (wait, verdict) = ended.wait { wait.stop(with: verdict) }
        guard let (request, error) = ended.pending else { return }
        request.end(with: .failure(error))
        tell(telling(context).pendingEnded(request.resource, with: error), context)
    }
}
#endif
