#if Client
public import BrokerMessages
import DeviceRecords
import EntitlementValues

// What the application decides. Calls register a device by themselves only if it never was.
extension Caller {
    /// Registers the device unless it is registered already.
    ///
    /// Calls do so by themselves; this is for start-up, and for tools.
    ///
    /// - Parameter timeLimit: How long it may take in all; the limit of the broker's settings if none is given.
    /// - Returns: The device's credentials, which are stored.
    /// - Throws: `BrokerError`.
    public func register(timeLimit: Duration? = nil) async throws(BrokerError) -> ClientCredentials {
        let time = broker.time
        let deadline = time.uptime + (timeLimit ?? broker.settings.timeLimit)
        let registration = await time.running(untilUptime: deadline) {
            await Result(of: { () throws(BrokerError) in try await registered(before: deadline).credentials })
        }
        if Task.isCancelled { throw .cancelled }
        // The request goes on if others wait for it.
        guard let registration else { throw .transport(TransportFailure(.timeout, mayHaveBeenSent: true)) }
        return try registration.get()
    }

    /// Forgets the device's credentials and access token after the broker has refused them, so that the next call registers
    /// it anew.
    ///
    /// **All logins of the device end with its credentials.** Do this only after
    /// ``RegistrationRefusal/Decision/registerAnew``, and if the user may be asked to sign in again.
    ///
    /// If the device has been registered anew since, after the refusal of another call for example, its new credentials stay,
    /// with the logins that they have.
    ///
    /// - Parameter refusal: The refusal, which says what was refused.
    /// - Returns: Whether the credentials that were refused were still there.
    /// - Throws: `BrokerError.store` or `.cancelled`.
    @discardableResult
    public func forgetRegistration(after refusal: RegistrationRefusal) async throws(BrokerError) -> Bool {
        guard let clientID = refusal.clientID else { return false }
        let scope = broker.scope
        let wereThere = try await change { record in
            guard let credentials = record.registrations[scope]?.credentials, credentials.clientID == clientID else {
                return false
            }
            record.forget(credentials, for: scope)
            return true
        }
        // Those of other credentials stay, and so does a token that is asked for with them at present.
        registration.forgetToken(of: wereThere ? nil : clientID)
        return wereThere
    }

    /// Forgets the device's credentials and access token, whichever they are, so that the next call registers it anew.
    ///
    /// **All logins of the device end with its credentials.** This is for a device that is given up; after a refusal, call
    /// ``forgetRegistration(after:)``.
    ///
    /// - Returns: Whether there were credentials.
    /// - Throws: `BrokerError.store` or `.cancelled`.
    @discardableResult
    public func forgetRegistration() async throws(BrokerError) -> Bool {
        let (known, scope) = (try await known, broker.scope)
        if let known { try await change { $0.forget(known.credentials, for: scope) } }
        registration.forgetToken()
        return known != nil
    }
}

extension Caller {
    /// Brings the device's credentials: those in the record, or new ones, which are stored before they are returned.
    ///
    /// All calls that want them at the same time wait for one request: a second pair would be of no use. `deadline` is
    /// the uptime by which they have to be there.
    func registered(before deadline: Duration) async throws(BrokerError) -> DeviceRegistration {
        if let known = try await known { return known }
        let end = max(deadline, broker.time.uptime + broker.settings.timeLimit)
        let result = await registration.requests.result {
            await Result(of: { () throws(BrokerError) in try await newRegistration(before: end) })
        }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    /// Registers the device, unless a job before this one has done so.
    private func newRegistration(before deadline: Duration) async throws(BrokerError) -> DeviceRegistration {
        if let known = try await known { return known }
        let application = broker.application
        let request = RegistrationRequest(statement: application.statement, redirectURI: application.redirectURI)
        let call = try broker.registrationCall(request, for: device, at: clientAddress)
        let (credentials, _) = try await bring(call, before: deadline)
        let scope = broker.scope
        // The first credentials win: who loses the race drops its own, which nothing has used.
        let kept = try await change { record -> DeviceRegistration? in
            record.adopt(credentials, for: scope)
            return record.registrations[scope]
        }
        guard let kept else { throw .store(.contended(attempts: 1)) }
        return kept
    }

    /// The registration in the record; `nil` if the device is not registered.
    var known: DeviceRegistration? {
        get async throws(BrokerError) {
            guard borrowed == nil else { throw .request(.borrowedToken) }
            let record = try await rethrowing(
                awaiting: await broker.records.record(of: device.key), as: BrokerError.store)
            return record?.registrations[broker.scope]
        }
    }

    /// Changes the device's record; `body` may run several times.
    ///
    /// Throws `.store` or `.cancelled`.
    @discardableResult
    func change<Answer: Sendable>(
        _ body: @Sendable (inout DeviceRecord) -> Answer
    ) async throws(BrokerError) -> Answer {
        guard borrowed == nil else { throw .request(.borrowedToken) }
        do {
            return try await broker.records.change(device.key) { record throws(Never) in body(&record) }
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
    }

    /// Makes a call that carries no access token; it has to end by the uptime `deadline`.
    ///
    /// Returns what the call read, and the broker's time of day; `nil` if it did not say.
    func bring<Answer: Sendable>(
        _ call: BrokerCall<Answer>,
        before deadline: Duration
    ) async throws(BrokerError) -> (Answer, Timestamp?) {
        let broker = broker
        return try await broker.observer.measuring(call.endpoint, by: self) { () throws(BrokerError) in
            var run = CallRun(of: call.endpoint, at: broker, .foreground, before: deadline)
            let answer = try await run.exchange(call.request, body: call.body, repetition: call.repetition)
            return (try call.value(of: answer, at: broker.time.now), answer.date)
        }
    }
}
#endif
