#if Client
public import BrokerMessages
public import DeviceRecords
import EntitlementValues
import Synchronization

/// The registration of one device: its credentials for good, and the access token that goes on each call.
///
/// The first call registers the device and stores its credentials before it uses them. From then on they are the
/// device's: if they are lost or made anew, all of its logins end. So nothing is ever registered anew by itself: if the
/// broker refuses the credentials, calls throw ``BrokerError/registration(_:)``, and the application decides whether to
/// ``forget()`` them.
///
/// An access token is used until a minute before its end, by all processes that share the store, and until its end if no
/// new one can be had. Calls that need a new one at the same time wait for one request.
public final class ClientRegistration: Sendable {
    /// The broker with which the device is registered.
    public let broker: Broker
    /// The device.
    public let device: Device

    let statement: SoftwareStatement
    let redirectURI: String?
    let store: DeviceDirectory
    /// Where the registration is in the device's record.
    let scope: RegistrationScope

    private let tokens = Mutex(Tokens())
    private let renewals = SingleFlight<HeldToken, BrokerError>()
    let registrations = SingleFlight<DeviceRegistration, BrokerError>()

    private struct Tokens {
        var held: HeldToken?
        /// The last tokens that the broker refused; they may still be in the store, or come back from another process.
        var refused: [BearerToken] = []
        /// How many tokens the broker has refused since it made the last one for this process.
        var refusals = 0
        /// The uptime at which a renewal failed last.
        var failure: Duration?
        /// How often the credentials were forgotten: a token that was asked for before is not held after that.
        var generation = 0
    }

    /// As many refused tokens are remembered.
    private static let maximumRefused = 4
    /// After so many refused tokens, the next one comes from the broker, whatever other processes have stored.
    private static let refusalsBeforeNewToken = 2
    /// After a renewal that failed, calls use a token that is still good for so long without asking for another.
    private static let failureInterval: Duration = .seconds(5)

    /// Describes a registration; nothing is sent and nothing is stored.
    ///
    /// - Parameters:
    ///   - broker: The broker.
    ///   - statement: The application's software statement. It may be replaced by another one of the same application.
    ///   - device: The device.
    ///   - store: Keeps credentials and access token.
    ///   - application: A name of your own for the application, if a store serves several applications on one device.
    ///     Under another name the device registers anew.
    ///   - redirectURI: A redirect URI to register; `nil` for none, which the broker accepts.
    public init(
        with broker: Broker,
        statement: SoftwareStatement,
        device: Device,
        store: DeviceDirectory,
        application: String = "default",
        redirectURI: String? = nil
    ) {
        (self.broker, self.statement, self.device, self.store) = (broker, statement, device, store)
        self.redirectURI = redirectURI
        let origin = broker.environment.api
        scope = RegistrationScope(origin: "\(origin.scheme.rawValue)://\(origin.authority)", application: application)
    }

    /// An access token for a call.
    ///
    /// - Parameters:
    ///   - caller: Who makes the call: a new token is asked for with the client's address and device information.
    ///   - refused: A token that the broker has refused, which must not be returned again.
    ///   - limit: How long it may take.
    /// - Returns: A token that has not ended as far as is known.
    /// - Throws: `BrokerError`.
    func token(
        for caller: Caller,
        insteadOf refused: AccessToken? = nil,
        within limit: Duration
    ) async throws(BrokerError) -> HeldToken {
        if let refused { drop(refused) }
        if let token = usableToken { return token }
        let uptime = broker.time.uptime
        let old = goodToken
        if let old, hasJustFailed { return old }
        do throws(BrokerError) {
            // As long as the old token is good, the wait for another may not take all of the call's time.
            return try await renewedToken(for: caller, before: uptime + (old == nil ? limit : limit / 2))
        } catch {
            guard error.leavesTokensAsTheyAre else { throw error }
            tokens.withLock { $0.failure = broker.time.uptime }
            guard let good = goodToken else { throw error }
            return good
        }
    }

    /// Waits for the renewal of the token, which is one job for all calls that want one at the same time.
    ///
    /// - Parameters:
    ///   - caller: Who makes the call.
    ///   - deadline: The uptime until which the call waits.
    /// - Returns: The token.
    /// - Throws: `BrokerError`.
    private func renewedToken(for caller: Caller, before deadline: Duration) async throws(BrokerError) -> HeldToken {
        let (device, address, time) = (caller.device, caller.clientAddress, broker.time)
        let hasAsked = Atomic(false)
        let renewal = await time.running(untilUptime: deadline) { [self] in
            await renewals.result {
                hasAsked.store(true, ordering: .releasing)
                let end = max(deadline, time.uptime + self.broker.settings.timeLimit)
                return await self.renewal(for: device, at: address, before: end)
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
            return try await renewedToken(for: caller, before: deadline)
        }
        return try result.get()
    }

    // MARK: Tokens in memory

    /// How often the credentials were forgotten here.
    var generation: Int { tokens.withLock { $0.generation } }

    /// Takes a token as the one to use, unless its credentials were forgotten since it was asked for.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - generation: The ``generation`` at which it was asked for.
    /// - Returns: Whether it is the one to use.
    func hold(_ token: HeldToken, askedAt generation: Int) -> Bool {
        tokens.withLock { tokens in
            guard tokens.generation == generation else { return false }
            tokens.held = token
            if token.isNew { tokens.refusals = 0 }
            return true
        }
    }

    /// Takes note of what the device's record holds: a token whose credentials are gone from it is not used any more.
    ///
    /// Another process may have forgotten them, or registered the device anew.
    ///
    /// - Parameter record: The record as it was read just now; `nil` if the device has none.
    package func note(_ record: DeviceRecord?) {
        let credentials = record?.registrations[scope]?.credentials
        tokens.withLock { tokens in
            if let held = tokens.held, held.credentials != credentials { tokens.held = nil }
        }
    }

    /// Whether a token of the store is not used: the broker has refused it, or this process has used it until its end, or
    /// so many were refused that only a new one tells whether the credentials are still good.
    ///
    /// The end of a token that another process has stored is known by the broker's clock only, so it is not enough to
    /// look at that.
    func passesOver(_ token: AccessToken) -> Bool {
        tokens.withLock { tokens in
            tokens.refusals >= Self.refusalsBeforeNewToken || tokens.refused.contains(token.bearer)
                || tokens.held?.token.bearer == token.bearer
        }
    }

    /// Forgets the token in memory, and the one that is asked for at present.
    func dropToken() {
        tokens.withLock { tokens in
            tokens.held = nil
            tokens.generation += 1
        }
    }

    /// The token in memory, if it may still be used.
    var usableToken: HeldToken? {
        tokens.withLock { tokens in
            tokens.held.flatMap { $0.isUsable(at: broker.time.uptime) ? $0 : nil }
        }
    }

    /// The token in memory, if it has not ended: it serves if no other can be had.
    private var goodToken: HeldToken? {
        tokens.withLock { tokens in
            tokens.held.flatMap { $0.isGood(at: broker.time.uptime) ? $0 : nil }
        }
    }

    /// Whether a renewal failed just now.
    private var hasJustFailed: Bool {
        tokens.withLock { tokens in
            tokens.failure.map { broker.time.uptime < $0 + Self.failureInterval } ?? false
        }
    }

    /// Drops a token that the broker refused; another that has taken its place stays.
    private func drop(_ token: AccessToken) {
        tokens.withLock { tokens in
            if tokens.held?.token.bearer == token.bearer { tokens.held = nil }
            guard !tokens.refused.contains(token.bearer) else { return }
            tokens.refused.append(token.bearer)
            tokens.refusals += 1
            if tokens.refused.count > Self.maximumRefused { tokens.refused.removeFirst() }
        }
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
