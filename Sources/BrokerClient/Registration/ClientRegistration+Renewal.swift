#if Client
import BrokerMessages
import DeviceRecords
import EntitlementValues

extension ClientRegistration {
    /// Brings an access token: the one in the store if it is good, or a new one.
    ///
    /// This is one job for all calls that wait, so it has a time limit of its own.
    ///
    /// - Parameters:
    ///   - device: The device with what it says of itself now.
    ///   - address: The client's address, by which the broker counts requests.
    ///   - deadline: The uptime by which it has to be there.
    /// - Returns: The token, or the error for all calls that wait.
    func renewal(
        for device: Device,
        at address: ClientAddress?,
        before deadline: Duration
    ) async -> Result<HeldToken, BrokerError> {
        await Result(of: { () throws(BrokerError) in
            try await heldToken(for: device, at: address, before: deadline)
        })
    }

    /// Brings the device's credentials: those in the store, or new ones, which are stored before they are returned.
    ///
    /// All who want them at the same time wait for one request: a second pair would be of no use to anybody.
    ///
    /// - Parameters:
    ///   - device: The device with what it says of itself now.
    ///   - address: The client's address, by which the broker counts requests.
    ///   - deadline: The uptime by which they have to be there.
    /// - Returns: The registration in the store.
    /// - Throws: `BrokerError`.
    func registered(
        _ device: Device,
        at address: ClientAddress?,
        before deadline: Duration
    ) async throws(BrokerError) -> DeviceRegistration {
        if let known = try await known { return known }
        let end = max(deadline, broker.time.uptime + broker.settings.timeLimit)
        let result = await registrations.result { [self] in
            await Result(of: { () throws(BrokerError) in
                try await newRegistration(of: device, at: address, before: end)
            })
        }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    /// Registers the device, unless a job before this one has done so.
    private func newRegistration(
        of device: Device,
        at address: ClientAddress?,
        before deadline: Duration
    ) async throws(BrokerError) -> DeviceRegistration {
        if let known = try await known { return known }
        let request = RegistrationRequest(statement: statement, redirectURI: redirectURI)
        let call = try broker.registrationCall(request, for: device, at: address)
        let (credentials, _) = try await send(call, before: deadline)
        let scope = scope
        // The first credentials win: who loses the race drops its own, which nothing has used.
        let kept = try await change { record -> DeviceRegistration? in
            record.adopt(credentials, for: scope)
            return record.registrations[scope]
        }
        guard let kept else { throw .store(.contended(attempts: 1)) }
        return kept
    }

    /// Changes the device's record.
    ///
    /// - Parameter body: Changes the record; it may run several times.
    /// - Returns: What the body returned.
    /// - Throws: `BrokerError.store` or `.cancelled`.
    @discardableResult
    func change<Answer: Sendable>(
        _ body: @Sendable (inout DeviceRecord) -> Answer
    ) async throws(BrokerError) -> Answer {
        do {
            return try await store.change(device.key) { record throws(Never) in body(&record) }
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
    }

    /// The registration in the store; `nil` if the device is not registered.
    var known: DeviceRegistration? {
        get async throws(BrokerError) {
            do throws(DeviceRecordsError) {
                return try await store.record(of: device.key)?.registrations[scope]
            } catch {
                throw .store(error)
            }
        }
    }

    private func heldToken(
        for device: Device,
        at address: ClientAddress?,
        before deadline: Duration
    ) async throws(BrokerError) -> HeldToken {
        // The job before this one may have ended after its caller looked.
        if let token = usableToken { return token }
        // Once more if the credentials were forgotten meanwhile: their token is of no use then.
        for _ in 0..<2 {
            let before = generation
            if let token = try await askedToken(for: device, at: address, before: deadline) { return token }
            // The device was erased elsewhere. Only a call that begins after that registers it anew.
            if generation == before, try await known == nil { break }
        }
        throw .store(.contended(attempts: 2))
    }

    /// Brings an access token: the one in the store if it is good, or a new one.
    ///
    /// - Returns: The token, which is held; `nil` if its credentials were forgotten meanwhile.
    private func askedToken(
        for device: Device,
        at address: ClientAddress?,
        before deadline: Duration
    ) async throws(BrokerError) -> HeldToken? {
        let (time, generation) = (broker.time, generation)
        let registration = try await registered(device, at: address, before: deadline)
        let (kept, credentials) = (registration.token, registration.credentials)
        if let kept, !passesOver(kept), let held = HeldToken(kept: kept, madeWith: credentials, by: time) {
            guard hold(held, askedAt: generation) else { return nil }
            // One in its last minute serves only if no new one can be had.
            if held.isUsable(at: time.uptime) { return held }
        }
        let call = try broker.tokenCall(AccessTokenRequest(credentials), for: device, at: address)
        let (token, date) = try await send(call, before: deadline)
        let scope = scope
        do throws(BrokerError) {
            let isGood = try await change { record in
                // It was refused, used up, or is over; a new one takes its place, whenever the broker says it was made.
                if let kept { record.drop(kept, for: scope) }
                return record.adopt(token, madeWith: credentials, for: scope) != nil
            }
            guard isGood else { return nil }
        } catch {
            // Other processes ask for a token of their own then.
            broker.observer.note(tokenNotKept: error)
        }
        let held = HeldToken(token, madeWith: credentials, sentAt: date, by: time)
        return hold(held, askedAt: generation) ? held : nil
    }

    /// Makes a call without an access token.
    ///
    /// - Returns: What the call read, and the broker's time of day; `nil` if it did not say.
    private func send<Answer: Sendable>(
        _ call: BrokerCall<Answer>,
        before deadline: Duration
    ) async throws(BrokerError) -> (Answer, Timestamp?) {
        let broker = broker
        let environment = broker.environment
        return try await broker.observer.measuring(call.endpoint, at: environment, by: broker.time) {
            () throws(BrokerError) in
            var run = CallRun(of: call.endpoint, at: broker, .foreground, before: deadline)
            let answer = try await run.exchange(call.request, body: call.body, repetition: call.repetition)
            return (try call.value(of: answer, at: broker.time.now), answer.date)
        }
    }
}
#endif
