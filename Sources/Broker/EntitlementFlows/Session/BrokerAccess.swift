#if Client
package import BrokerClient
import BrokerMessages
import DeviceRecords
package import EntitlementValues

/// The way of a session to the broker and to the device's record: as which device and client, for which requestor, and at
/// which origins.
///
/// It belongs to one session, and runs on the session's actor, so that nothing else of the session runs between two waits. It
/// tells nothing, and ends nothing: it says what it has found, and the session does the rest before anything else runs.
package final class BrokerAccess {
    let application: EntitlementApplication
    /// The device.
    private(set) var device: Device
    /// What the device says it wants.
    private(set) var options: SessionOptions
    /// The requestor, once `setRequestor` has found it.
    private(set) var requestor: SessionRequestor = .none
    /// The origins of providers, if there are several origins and their lists were asked for.
    private(set) var pins: [MVPDID: BrokerOrigin] = [:]

    /// The callers that were made last, by origin: as long as there is one, its broker keeps the device's registration.
    private var callers: [BrokerOrigin: Caller] = [:]
    /// The device's record as it was read last.
    private var lastRead: ReadRecord?
    /// The client as which the device's record knew the session when it was seen last: if it is gone, it was erased.
    private var lastClient: KnownClient?

    init(of device: Device, for application: EntitlementApplication, _ options: SessionOptions) {
        (self.device, self.application, self.options) = (device, application, options)
    }

    /// Takes over what the device says of itself and wants now.
    func take(_ context: CallContext) { (options, device) = (context.options, device.saying(what: context)) }

    // MARK: The requestor

    /// Takes a requestor, at the origins that answer for it.
    package func use(_ id: RequestorID, at origins: [BrokerOrigin]) { requestor = .found(id, origins) }

    /// No requestor counts any more, and no origin of a provider.
    func leaveRequestor() { (requestor, pins) = (.none, [:]) }

    /// Takes the origins of providers, by lists that were asked for.
    package func pin(_ pins: [MVPDID: BrokerOrigin]) { self.pins = pins }

    /// The origins that answer for the requestor; empty if a requestor is not set.
    package var origins: [BrokerOrigin] {
        guard case .found(_, let origins) = requestor else { return [] }
        return origins
    }

    /// The origin that answers for a provider: the one that it is pinned to, else the first of the call.
    ///
    /// `mvpd` is `nil` for the provider of the record. Returns one of ``origins``; that of the application's broker if
    /// a requestor is not set.
    func origin(mvpd: MVPDID?, in record: RequestorRecord) -> BrokerOrigin {
        let mvpd = mvpd ?? record.provider?.id
        if let provider = record.provider, provider.id == mvpd, let text = provider.origin,
            let origin = origins.first(where: { "\($0)" == text })
        {
            return origin
        }
        return mvpd.flatMap { pins[$0] } ?? origins.first ?? application.broker.environment.api
    }

    // MARK: Callers and questions

    /// The caller of the broker at an origin, with what the device wants in a call.
    package func caller(at origin: BrokerOrigin, _ context: CallContext) -> Caller {
        let options = context.options
        var caller = application.broker(at: origin).caller(device.saying(what: context), from: options.clientAddress)
        caller.platformToken = options.platformToken
        caller.serviceToken = options.serviceToken
        caller.visitorIdentifier = options.visitorIdentifier
        callers[origin] = caller
        return caller
    }

    /// The caller of the broker that answers for a provider; `nil` for that of the record.
    ///
    /// It has all that the record adds: the partner's status, as long as it holds, and the identity of promotional temporary
    /// access.
    func caller(mvpd: MVPDID?, in record: RequestorRecord, _ call: SessionCall) -> Caller {
        var caller = caller(at: origin(mvpd: mvpd, in: record), call.context)
        caller.partnerStatus = call.partnerStatus(in: record, at: application.time.now)
        caller.temporaryIdentity = record.identity
        return caller
    }

    /// What a question is about that will be put soon, or that is not put to the broker at all.
    ///
    /// It is taken before the first wait after the record was read or changed, and `epoch` is that of the record then.
    func subject(inEpoch epoch: Int64) -> QuestionSubject {
        QuestionSubject(origin: nil, client: lastClient, epoch: epoch, at: application.time.now)
    }

    /// A question that is put now: who puts it to the broker that answers for a provider, and what its answer may be kept for.
    ///
    /// `mvpd` is `nil` for the provider of the record. `subject` is what it is about, if that was taken before; without it, the
    /// record must have been read or changed just now.
    func question(
        about mvpd: MVPDID?,
        in record: RequestorRecord,
        of subject: QuestionSubject? = nil,
        _ call: SessionCall
    ) -> (caller: Caller, asked: QuestionSubject) {
        let caller = caller(mvpd: mvpd, in: record, call)
        let subject = subject ?? self.subject(inEpoch: record.epoch)
        return (caller, subject.put(to: caller.broker.environment.api, at: application.time.now))
    }

    /// Whether an answer that changes nothing still counts, by the record as it was read last.
    func stillCounts(_ asked: QuestionSubject, _ call: SessionCall) -> Bool {
        guard let record = lastRead?.record else { return false }
        return record.isSubject(of: asked, requestor: call.requestor)
            && asked.origin.map { record.registrations[scope(at: $0)] != nil } ?? true
    }

    // MARK: The record

    /// Reads what the device's record holds for a requestor.
    ///
    /// The record's identifier of the device counts, since its registrations belong to it: if the session was made with
    /// another one, it goes on with that of the record.
    ///
    /// Returns as well whether the record was erased since it was seen last, and whether the device has another identifier.
    func read(
        _ requestor: RequestorID
    ) async throws(EntitlementFlowError) -> (record: RequestorRecord, wasErased: Bool, hasNewIdentifier: Bool) {
        // Before the record is read: else a token that is had meanwhile would outlive its device.
        let erasures = records.erasures
        let read = try await rethrowing(
            awaiting: await records.read(device.key, after: lastRead), as: EntitlementFlowError.store)
        lastRead = read
        let found = read?.record
        let wasErased = heed(found, requestor)
        for broker in application.shared.brokers { broker.note(found, of: device.key, after: erasures) }
        let identifier = found?.identifier ?? device.identifier
        let isNew = identifier != device.identifier
        if isNew {
            device = Device(
                key: device.key, identifier: identifier, info: device.info, userAgent: device.userAgent)
        }
        return (found?[requestor] ?? RequestorRecord(), wasErased, isNew)
    }

    /// What became of a change.
    enum Change<Answer> {
        /// It is made, in a new record if the one before was erased.
        case written(Answer, wasErased: Bool)
        /// Nothing was written, because the record that was seen last is erased.
        case erased
    }

    /// Changes what the device's record holds for a requestor.
    ///
    /// The body may run several times, each time with the record as it is then. `asked` is what was asked, if the
    /// change keeps the answer. The answer is void if the record is not the one any more that the question was about:
    /// else what was erased would be stored again, or what was signed out of.
    ///
    /// Throws `.store`, `.cancelled` if the task is cancelled between two attempts, `.superseded` for an answer that is
    /// void.
    func change<Answer: Sendable>(
        _ requestor: RequestorID,
        keeping asked: QuestionSubject?,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Change<Answer> {
        let (identifier, known, scope) = (device.identifier, lastClient, asked?.origin.map { self.scope(at: $0) })
        do {
            let (answer, after) = try await records.change(device.key) { record throws(VoidChange) in
                if let known, !record.has(known) { throw .recordWasErased }
                if let scope, record.registrations[scope] == nil { throw .recordWasErased }
                if let asked, !record.isSubject(of: asked, requestor: requestor) { throw .answerIsVoid }
                let before = record[requestor]
                let answer = body(&record[requestor])
                if record[requestor] != before { record.adopt(identifier) }
                return (answer, record)
            }
            return .written(answer, wasErased: heed(after, requestor))
        } catch let void as VoidChange {
            // The command that noticed that the client is another one has dropped what was remembered of the one before.
            guard void == .recordWasErased else { throw .superseded }
            dropWhatIsRemembered()
            return .erased
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
    }

    /// The version of the device's record in the store; `nil` if there is none.
    func version() async throws(EntitlementFlowError) -> Int64? {
        try await rethrowing(awaiting: await records.version(of: device.key), as: EntitlementFlowError.store)
    }

    /// Erases the device's record; returns whether there was one.
    func erase() async throws(EntitlementFlowError) -> Bool {
        try await rethrowing(awaiting: await records.forget(device.key), as: EntitlementFlowError.store)
    }

    private var records: DeviceDirectory { application.broker.records }

    /// Where the device's registration with the broker at an origin is in its record.
    private func scope(at origin: BrokerOrigin) -> RegistrationScope { application.broker(at: origin).scope }

    /// Notes as which client the device's record knows the session; returns whether one is gone that was there: then the
    /// record was erased, by whatever process, and nothing from before counts.
    ///
    /// It is the client at the origin that answers for the user. Registrations of other applications, and at origins that
    /// have nothing of the user, come and go without a meaning for this session.
    private func heed(_ record: DeviceRecord?, _ requestor: RequestorID) -> Bool {
        let wasErased = lastClient.map { record?.has($0) != true } ?? false
        if wasErased { dropWhatIsRemembered() }
        let current = origin(mvpd: nil, in: record?[requestor] ?? RequestorRecord())
        lastClient =
            ([current] + origins).lazy.compactMap { [self] origin in
                let scope = scope(at: origin)
                return (record?.registrations[scope]?.credentials.clientID).map {
                    KnownClient(scope: scope, clientID: $0)
                }
            }.first
        return wasErased
    }

    /// Drops what the session and its process remember of the device at the broker, whose record is erased: its access tokens,
    /// which would still bring the profile of the user who was erased, and times of decisions.
    func dropWhatIsRemembered() {
        (callers, lastClient) = ([:], nil)
        for broker in application.shared.brokers { broker.note(nil, of: device.key) }
        records.dropNotedDecisions(of: device.key)
    }

    // MARK: Codes and decisions

    /// Lets the second screen find the device by a code.
    func put(_ code: PendingCode) async throws(EntitlementFlowError) {
        try await rethrowing(
            awaiting: await records.put(code.code, for: device.key, until: code.until), as: EntitlementFlowError.store)
    }

    /// Lets no one find the device by a code any more; if the store cannot do that, the code ends by itself.
    func forget(_ code: PendingCode) async { try? await records.forget(code.code) }

    /// Notes until when a decision holds; it is written with a later change.
    func note(_ decision: DecisionTime, _ call: SessionCall) {
        records.note(decision, requestor: call.requestor, of: device.key)
    }

    /// The decisions that are noted and not written yet.
    func notedDecisions(_ call: SessionCall) -> [DecisionTime] {
        records.notedDecisions(requestor: call.requestor, of: device.key)
    }

    /// Drops the decisions of a provider that are noted.
    func dropNotedDecisions(mvpd: MVPDID, _ call: SessionCall) {
        records.dropNotedDecisions(mvpd: mvpd, requestor: call.requestor, of: device.key)
    }

    /// Writes the decision times of the device, unless it was erased, before the session goes.
    func handOverDecisions() async {
        guard let lastClient, case .found(let requestor, _) = requestor,
            !records.notedDecisions(requestor: requestor, of: device.key).isEmpty
        else { return }
        try? await records.handOverNotedDecisions(of: device.key) { $0.has(lastClient) }
    }
}

/// The requestor of a session.
enum SessionRequestor: Sendable, Hashable {
    /// `setRequestor` was not called, or has failed.
    case none
    /// The origins that answer for the requestor, in the order of the call; at least one.
    case found(RequestorID, [BrokerOrigin])
}

/// What the broker was asked about: the answer is kept for that sign-in of that client, and for no other one.
package struct QuestionSubject: Sendable {
    /// The origin that was asked; `nil` if none was.
    let origin: BrokerOrigin?
    /// The client as which the device's record knew the session when it was read for the question.
    ///
    /// `nil` for a device that was not registered yet. An epoch alone does not tell: the record of a device that was erased
    /// counts them anew.
    fileprivate let client: KnownClient?
    /// The epoch of the record then.
    let epoch: Int64
    /// When the question was put.
    let at: Timestamp

    /// The same, once the question is put.
    fileprivate func put(to origin: BrokerOrigin, at instant: Timestamp) -> QuestionSubject {
        QuestionSubject(origin: origin, client: client, epoch: epoch, at: instant)
    }

    /// The same, once the answer has begun another epoch.
    func followed(by epoch: Int64) -> QuestionSubject {
        QuestionSubject(origin: origin, client: client, epoch: epoch, at: at)
    }
}

/// A client as which a device's record was registered when it was seen last.
private struct KnownClient: Sendable {
    let scope: RegistrationScope
    let clientID: String
}

/// Why a change of a record was not made.
private enum VoidChange: Error {
    /// The record does not have the credentials anymore that it had when it was seen last.
    case recordWasErased
    /// The record is not the one that the question was about.
    case answerIsVoid
}

extension DeviceRecord {
    /// Whether a client is still there, and no other one has taken its place.
    fileprivate func has(_ client: KnownClient) -> Bool {
        registrations[client.scope]?.credentials.clientID == client.clientID
    }

    /// Whether the record is still the one that a question was about.
    fileprivate func isSubject(of asked: QuestionSubject, requestor: RequestorID) -> Bool {
        self[requestor].epoch == asked.epoch && (asked.client.map { has($0) } ?? true)
    }
}
#endif
