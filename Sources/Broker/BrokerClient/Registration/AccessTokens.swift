#if Client
import BrokerMessages
import DeviceRecords
import EntitlementValues
import Synchronization

extension Caller: AccessTokenSource {
    package func token(
        insteadOf refused: AccessToken?,
        of client: ClientCredentials?,
        within limit: Duration
    ) async throws(BrokerError) -> HeldToken {
        let held = try await heldToken(insteadOf: refused, of: client, within: limit)
        // Another call may have registered the device anew.
        if let client, held.credentials != client { throw .store(.contended(attempts: 1)) }
        return held
    }

    /// An access token for a call; a new token is asked for with the client's address and device information.
    private func heldToken(
        insteadOf refused: AccessToken?,
        of client: ClientCredentials?,
        within limit: Duration
    ) async throws(BrokerError) -> HeldToken {
        if let refused { registration.drop(refused) }
        let time = broker.time
        let uptime = time.uptime
        try await heedErasures(before: uptime + limit)
        if let token = registration.usableToken(at: uptime) { return token }
        let old = registration.goodToken(at: uptime)
        if let old, registration.hasJustFailed(at: uptime) { return old }
        do throws(BrokerError) {
            // As long as the old token is good, the wait for another may not take all of the call's time.
            let token = try await renewedToken(of: client, before: uptime + (old == nil ? limit : limit / 2))
            // The job may have read the record before the device was erased.
            if token.erasures != broker.records.erasures {
                try await heedErasures(before: uptime + limit)
                guard registration.goodToken(at: time.uptime)?.credentials == token.credentials else {
                    throw .store(.contended(attempts: 1))
                }
            }
            return token
        } catch {
            guard error.leavesTokensAsTheyAre else { throw error }
            registration.noteFailure(at: time.uptime)
            try await heedErasures(before: uptime + limit)
            guard let good = registration.goodToken(at: time.uptime) else { throw error }
            return good
        }
    }

    /// Looks at the device's record if records were erased in this process: a token of a device that is gone would still
    /// bring the profile of its user.
    private func heedErasures(before deadline: Duration) async throws(BrokerError) {
        let erasures = broker.records.erasures
        guard registration.mayBeErased(after: erasures) else { return }
        let read = await broker.time.running(untilUptime: deadline) {
            await Result(of: { () throws(BrokerError) in try await known?.credentials })
        }
        if Task.isCancelled { throw .cancelled }
        guard let read else { throw .transport(TransportFailure(.timeout, mayHaveBeenSent: false)) }
        registration.note(try read.get(), after: erasures)
    }

    /// Waits for the renewal of the token, which is one job for all calls that want one at the same time.
    ///
    /// The token has to be of `client`; `nil` for the credentials of the record, or new ones. The call waits until the
    /// uptime `deadline`.
    private func renewedToken(of client: ClientCredentials?, before deadline: Duration) async throws(BrokerError)
        -> HeldToken
    {
        let time = broker.time
        let hasAsked = Atomic(false)
        let renewal = await time.running(untilUptime: deadline) {
            await registration.renewals.result {
                hasAsked.store(true, ordering: .releasing)
                let end = max(deadline, time.uptime + broker.settings.timeLimit)
                return await Result(of: { () throws(BrokerError) in try await newToken(of: client, before: end) })
            }
        }
        if Task.isCancelled { throw .cancelled }
        // The job goes on for others whose deadlines are later. Nothing of this call was sent.
        guard let renewal, let result = renewal else {
            throw .transport(TransportFailure(.timeout, mayHaveBeenSent: false))
        }
        // The job of another call had less time than this one has.
        let left = deadline - time.uptime
        if case .failure(let error) = result, error.isForLackOfTime(less: left), !hasAsked.load(ordering: .acquiring),
            left > .zero
        {
            return try await renewedToken(of: client, before: deadline)
        }
        return try result.get()
    }

    /// Brings an access token: the one in the record if it is good, or a new one.
    ///
    /// This is one job for all calls that wait, so it has a time limit of its own, and an error is one for all of them.
    ///
    /// The token has to be of `client`; `nil` for the credentials of the record, or new ones. `deadline` is the uptime
    /// by which it has to be there.
    private func newToken(of client: ClientCredentials?, before deadline: Duration) async throws(BrokerError)
        -> HeldToken
    {
        // The job before this one may have ended after its caller looked.
        if let token = registration.usableToken(at: broker.time.uptime) { return token }
        // Once more if the credentials were forgotten meanwhile: their token is of no use then.
        for _ in 0..<2 {
            let before = registration.generation
            if let token = try await askedToken(of: client, before: deadline) { return token }
            // The device was erased elsewhere. Only a call that begins after that registers it anew.
            if registration.generation == before, try await known == nil { break }
        }
        throw .store(.contended(attempts: 2))
    }

    /// Brings an access token: the one in the record if it is good, or a new one.
    ///
    /// The registration holds it then; `nil` if its credentials were forgotten meanwhile.
    private func askedToken(of client: ClientCredentials?, before deadline: Duration) async throws(BrokerError)
        -> HeldToken?
    {
        let (time, scope) = (broker.time, broker.scope)
        let (generation, erasures) = (registration.generation, broker.records.erasures)
        let found = client == nil ? try await registered(before: deadline) : try await known
        guard let registered = found, client == nil || registered.credentials == client else {
            registration.note(found?.credentials, after: erasures)
            throw .store(.contended(attempts: 1))
        }
        let (kept, credentials) = (registered.token, registered.credentials)
        if let kept, !registration.passesOver(kept),
            let held = HeldToken(kept: kept, madeWith: credentials, by: time, after: erasures)
        {
            guard registration.hold(held, askedAt: generation) else { return nil }
            // One in its last minute serves only if no new one can be had.
            if held.isUsable(at: time.uptime) { return held }
        }
        let call = try broker.tokenCall(AccessTokenRequest(credentials), for: device, at: clientAddress)
        let (token, date) = try await rethrowing(awaiting: await bring(call, before: deadline)) {
            (error: BrokerError) in error.refusing(credentials)
        }
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
        let held = HeldToken(token, madeWith: credentials, sentAt: date, by: time, after: erasures)
        return registration.hold(held, askedAt: generation) ? held : nil
    }
}

extension BrokerError {
    /// Whether the failure of a renewal says nothing of the token that is there.
    fileprivate var leavesTokensAsTheyAre: Bool {
        switch self {
        case .cancelled, .registration: false
        default: true
        }
    }

    /// Whether there was not enough time, and a call with this much left may have enough.
    fileprivate func isForLackOfTime(less left: Duration) -> Bool {
        switch self {
        case .transport(let failure): failure.reason == .timeout
        // Else each of the calls that wait would ask a broker that has said when it wants to be asked again.
        case .throttled(let wait): wait.map { $0 < left } ?? false
        default: false
        }
    }
}
#endif
