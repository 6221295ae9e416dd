#if Client
package import BrokerClient
import BrokerMessages
package import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// What the device's record holds for the requestor.
    ///
    /// The record's identifier of the device counts, since its registrations belong to it: if the session was made with
    /// another one, it goes on with that of the record.
    package func record(_ call: SessionCall) async throws(EntitlementFlowError) -> RequestorRecord {
        let erasures = application.broker.records.erasures
        let read: ReadRecord?
        do throws(DeviceRecordsError) {
            read = try await application.broker.records.read(device.key, after: lastRead)
        } catch {
            throw .store(error)
        }
        lastRead = read
        let found = read?.record
        heed(found, call)
        for broker in application.shared.brokers { broker.note(found, of: device.key, after: erasures) }
        if let identifier = found?.identifier { keep(identifier, call.context) }
        return found?[call.requestor] ?? RequestorRecord()
    }

    /// Changes what the device's record holds for the requestor; returns what the body returned.
    ///
    /// The body may run several times, each time with the record as it is then. `asked` is what was asked, if the
    /// change keeps the answer. The answer is void if the record is not the one any more that the question was about:
    /// else what was erased would be stored again, or what was signed out of.
    ///
    /// Throws `.store`, `.cancelled` if the task is cancelled between two attempts, `.superseded` for an answer that is
    /// void.
    @discardableResult
    package func change<Answer: Sendable>(
        _ call: SessionCall,
        keeping asked: Asked? = nil,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let (identifier, known, scope) = (device.identifier, lastClient, asked?.origin.map { self.scope(at: $0) })
        do {
            let (answer, after) = try await application.broker.records.change(device.key) {
                record throws(VoidChange) in
                if let known, !record.has(known) { throw .recordWasErased }
                if let scope, record.registrations[scope] == nil { throw .recordWasErased }
                if let asked, !record.isSubject(of: asked, requestor: call.requestor) { throw .answerIsVoid }
                let before = record[call.requestor]
                let answer = body(&record[call.requestor])
                if record[call.requestor] != before { record.adopt(identifier) }
                return (answer, record)
            }
            heed(after, call)
            return answer
        } catch let void as VoidChange {
            // The command that noticed that the client is another one has dropped what was remembered of the one before.
            if void == .recordWasErased { dropWhatIsRemembered(call.context) }
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
        if asked != nil { throw .superseded }
        return try await change(call, body)
    }

    // MARK: Erased records

    /// What a question is about that will be put now, or soon: it is taken before the first wait after the record was
    /// read or changed.
    ///
    /// `origin` is the one that will be asked; `nil` if none will. `epoch` is that of the record. What is returned says
    /// what the answer may be kept for.
    func question(to origin: BrokerOrigin?, inEpoch epoch: Int64) -> Asked {
        Asked(origin: origin, client: lastClient, epoch: epoch, at: application.time.now)
    }

    /// Throws `.superseded` unless an answer that changes nothing still counts, by the record as it is now.
    ///
    /// Throws `.store`, too, if the record cannot be read.
    func checkStillCounts(_ asked: Asked, _ call: SessionCall) async throws(EntitlementFlowError) {
        _ = try await record(call)
        guard let record = lastRead?.record, record.isSubject(of: asked, requestor: call.requestor),
            asked.origin.map({ record.registrations[scope(at: $0)] != nil }) ?? true
        else { throw .superseded }
    }

    /// Where the device's registration with the broker at an origin is in its record.
    private func scope(at origin: BrokerOrigin) -> RegistrationScope { application.broker(at: origin).scope }

    /// Notes as which client the device's record knows the session; if one is gone that was there, the record was erased,
    /// by whatever process, and nothing from before counts.
    ///
    /// It is the client at the origin that answers for the user. Registrations of other applications, and at origins that
    /// have nothing of the user, come and go without a meaning for this session.
    private func heed(_ record: DeviceRecord?, _ call: SessionCall) {
        if let lastClient, record?.has(lastClient) != true { dropWhatIsRemembered(call.context) }
        let current = currentOrigin(mvpd: nil, in: record?[call.requestor] ?? RequestorRecord())
        lastClient =
            ([current] + origins).lazy.compactMap { [self] origin in
                let scope = scope(at: origin)
                return (record?.registrations[scope]?.credentials.clientID).map {
                    KnownClient(scope: scope, clientID: $0)
                }
            }.first
    }

    /// Drops what the session and its process remember of a device whose record is erased: its access tokens, which would
    /// still bring the profile of the user who was erased, what waits, permits, and times of decisions.
    func dropWhatIsRemembered(_ context: CallContext) {
        (callers, lastClient) = ([:], nil)
        for broker in application.shared.brokers { broker.note(nil, of: device.key) }
        application.broker.records.dropNotedDecisions(of: device.key)
        end(state.erased(), context)
    }
}

extension EntitlementSession {
    /// The origin that answers for a provider: the one that it is pinned to, else the first of the call.
    ///
    /// `mvpd` is `nil` for the provider of the record. Returns one of ``origins``; that of the application's broker if
    /// a requestor is not set.
    func currentOrigin(mvpd: MVPDID?, in record: RequestorRecord) -> BrokerOrigin {
        let mvpd = mvpd ?? record.provider?.id
        if let provider = record.provider, provider.id == mvpd, let text = provider.origin,
            let origin = origins.first(where: { "\($0)" == text })
        {
            return origin
        }
        return mvpd.flatMap { pins[$0] } ?? origins.first ?? application.broker.environment.api
    }

    /// The caller of the broker that answers for a provider; `nil` for that of the record.
    ///
    /// It has all that the record adds: the partner's status, as long as it holds, and the identity of promotional temporary
    /// access.
    func caller(mvpd: MVPDID?, in record: RequestorRecord, _ call: SessionCall) -> Caller {
        var caller = caller(at: currentOrigin(mvpd: mvpd, in: record), call.context)
        caller.partnerStatus = partnerStatus(in: record, call)
        caller.temporaryIdentity = record.identity
        return caller
    }

    /// Where the user's browser comes back to.
    func redirect(_ context: CallContext) -> String { context.options.redirect ?? application.redirect }

    /// What the device's partner said, as long as it holds.
    func partnerStatus(in record: RequestorRecord, _ call: SessionCall) -> PartnerFrameworkStatus? {
        if let status = call.context.options.partnerStatus { return status }
        return record.partner.flatMap { $0.until > application.time.now ? $0.status : nil }
    }

    /// The caller of the broker at an origin, with what the device wants in a call.
    package func caller(at origin: BrokerOrigin, _ context: CallContext) -> Caller {
        let (options, info) = (context.options, context.info)
        let device = info == device.info ? device : Device(key: device.key, identifier: device.identifier, info: info)
        var caller = application.broker(at: origin).caller(device, from: options.clientAddress)
        caller.platformToken = options.platformToken
        caller.serviceToken = options.serviceToken
        caller.visitorIdentifier = options.visitorIdentifier
        callers[origin] = caller
        return caller
    }

    /// Goes on with the identifier that the device's record has.
    func keep(_ identifier: DeviceIdentifier, _ context: CallContext) {
        guard identifier != device.identifier else { return }
        device = Device(key: device.key, identifier: identifier, info: device.info)
        tell([.status(SessionStatus(.deviceChanged, message: "the device's identifier has changed"))], context)
    }
}

/// What the broker was asked about: the answer is kept for that sign-in of that client, and for no other one.
package struct Asked: Sendable {
    /// The origin that was asked; `nil` if none was.
    let origin: BrokerOrigin?
    /// The client as which the device's record knew the session when it was read for the question.
    ///
    /// `nil` for a device that was not registered yet. An epoch alone does not tell: the record of a device that was erased
    /// counts them anew.
    let client: KnownClient?
    /// The epoch of the record then.
    var epoch: Int64
    /// When the question was put.
    let at: Timestamp

    /// The same, once the question is put.
    func put(by caller: Caller, at instant: Timestamp) -> Asked {
        Asked(origin: caller.broker.environment.api, client: client, epoch: epoch, at: instant)
    }
}

/// A client as which a device's record was registered when it was seen last.
struct KnownClient: Sendable {
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
    func has(_ client: KnownClient) -> Bool {
        registrations[client.scope]?.credentials.clientID == client.clientID
    }

    /// Whether the record is still the one that a question was about.
    fileprivate func isSubject(of asked: Asked, requestor: RequestorID) -> Bool {
        self[requestor].epoch == asked.epoch && (asked.client.map { has($0) } ?? true)
    }
}
#endif
