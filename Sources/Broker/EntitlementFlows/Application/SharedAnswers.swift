#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses
import Synchronization

/// What the sessions of an application share: brokers by origin, and providers' lists for three minutes.
package final class SharedAnswers: Sendable {
    /// How long a list of providers may be used: the operator's checklist wants it kept for three to five minutes.
    static let lifetime: Duration = .seconds(180)

    /// What a list depends on: the broker tells platforms apart by the device information and the program.
    struct ListKey: Sendable, Hashable {
        let origin: BrokerOrigin
        let requestor: RequestorID
        /// The parts of the device information that name the platform, else the program.
        let platform: [String]
        let profile: String?
    }

    private struct State {
        var brokers: [BrokerOrigin: Broker]
        var lists: [ListKey: KeptList] = [:]
        var questions: [ListKey: (flight: ListQuestion, askers: Int)] = [:]
        /// The providers of which the broker has wanted an identity of the user.
        var promotional: Set<MVPDID> = []
    }

    private struct KeptList {
        let configuration: RequestorConfiguration
        /// Whether all of its providers could be read.
        let isWhole: Bool
        let until: Duration
        let took: Duration
    }

    private typealias ListQuestion = SingleFlight<RequestorConfiguration, BrokerError>

    private static let maximumLists = 256

    private let template: Broker
    private let state: Mutex<State>

    init(_ broker: Broker) {
        template = broker
        state = Mutex(State(brokers: [broker.environment.api: broker]))
    }

    /// Whether the broker has wanted an identity of the user for a provider.
    func isPromotional(_ mvpd: MVPDID) -> Bool { state.withLock { $0.promotional.contains(mvpd) } }

    /// Notes that a provider is promotional, if a failure says so.
    ///
    /// The broker has one code for an identity that is missing and for one that is not valid. Only the former tells of the
    /// provider: what a user sends says nothing about it.
    func notePromotional(_ mvpd: MVPDID?, by error: BrokerError, identity: TemporaryIdentity?) {
        guard identity == nil, let mvpd, case .refused(let refusal, _) = error,
            refusal.code?.meaning == .identityMissing
        else { return }
        state.withLock { _ = $0.promotional.insert(mvpd) }
    }

    /// The brokers that sessions have asked.
    var brokers: [Broker] { state.withLock { Array($0.brokers.values) } }

    func broker(at origin: BrokerOrigin) -> Broker {
        state.withLock { state in
            if let known = state.brokers[origin] { return known }
            let broker = template.moved(to: BrokerEnvironment(of: origin))
            state.brokers[origin] = broker
            return broker
        }
    }

    /// A list that was kept; `nil` if there is none, or only one that is too old.
    ///
    /// If `isOldOneGood` is true, it may be older than three minutes: it then says what a provider was when the user
    /// chose it.
    func list(_ key: ListKey, evenIfOld isOldOneGood: Bool = false) -> RequestorConfiguration? {
        state.withLock { state in
            state.lists[key].flatMap { isOldOneGood || $0.until > template.time.uptime ? $0.configuration : nil }
        }
    }

    /// How long a broker took to answer with the list that is kept; `nil` if none is.
    ///
    /// It tells which origin is the fastest whenever the list is used again.
    func answerTime(of key: ListKey) -> Duration? { state.withLock { $0.lists[key]?.took } }

    /// Whether the list that is kept, however old, has all providers: one that could not be read may be any.
    func isWhole(_ key: ListKey) -> Bool { state.withLock { $0.lists[key]?.isWhole == true } }

    /// A list that was kept, or the broker's answer: sessions that ask at the same time share one request.
    ///
    /// The request is made as one of them, so that a failure may be about that device alone: its registration, its
    /// record, the address by which it is throttled. The others ask by themselves then. `ask` asks the broker as this
    /// session. Throws `.cancelled`, too, if the calling task was cancelled before.
    private func list(
        _ key: ListKey,
        asking ask: @escaping @Sendable () async throws(BrokerError) -> (list: RequestorConfiguration, isWhole: Bool)
    ) async throws(BrokerError) -> RequestorConfiguration {
        if let known = list(key) { return known }
        let hasAsked = Atomic(false)
        let question = beginQuestion(key)
        let found = await question.result { [self] in
            // An earlier request may have ended since the look above.
            if let known = list(key) { return .success(known) }
            hasAsked.store(true, ordering: .releasing)
            return await self.answer(key, to: ask)
        }
        endQuestion(key)
        guard let found else { throw .cancelled }
        if case .failure(let error) = found, error.mayBeOfOneDevice, !hasAsked.load(ordering: .acquiring) {
            return try await self.answer(key, to: ask).get()
        }
        return try found.get()
    }

    /// A list that was kept, or what a broker answers to one of those who ask for it at the same time.
    func list(_ key: ListKey, by caller: Caller) async throws(BrokerError) -> RequestorConfiguration {
        try await list(key) { () async throws(BrokerError) in
            let found = try await caller.configuration(requestor: key.requestor, profile: key.profile)
            var list = found.requestor
            list.raiseLogos(by: caller.broker)
            return (list, found.faultCount == 0)
        }
    }

    /// How many sessions wait for lists.
    package var askerCount: Int { state.withLock { $0.questions.values.reduce(0) { $0 + $1.askers } } }

    private func answer(
        _ key: ListKey,
        to ask: @Sendable () async throws(BrokerError) -> (list: RequestorConfiguration, isWhole: Bool)
    ) async -> Result<RequestorConfiguration, BrokerError> {
        let start = template.time.uptime
        do throws(BrokerError) {
            let found = try await ask()
            keep(found.list, isWhole: found.isWhole, as: key, askedAt: start)
            return .success(found.list)
        } catch {
            return .failure(error)
        }
    }

    private func beginQuestion(_ key: ListKey) -> ListQuestion {
        state.withLock { state in
            let question = state.questions[key]?.flight ?? ListQuestion()
            state.questions[key] = (question, (state.questions[key]?.askers ?? 0) + 1)
            return question
        }
    }

    private func endQuestion(_ key: ListKey) {
        state.withLock { state in
            state.questions[key]?.askers -= 1
            if state.questions[key]?.askers == 0 { state.questions[key] = nil }
        }
    }

    /// Keeps a list for three minutes.
    private func keep(
        _ configuration: RequestorConfiguration,
        isWhole: Bool,
        as key: ListKey,
        askedAt start: Duration
    ) {
        let now = template.time.uptime
        state.withLock { state in
            if state.lists.count >= Self.maximumLists {
                state.lists = state.lists.filter { $0.value.until > now }
                if state.lists.count >= Self.maximumLists { state.lists = [:] }
            }
            state.lists[key] = KeptList(
                configuration: configuration, isWhole: isWhole, until: now + Self.lifetime, took: now - start)
        }
    }
}

extension RequestorConfiguration {
    /// Raises old addresses of logos to `https`.
    fileprivate mutating func raiseLogos(by broker: Broker) {
        let addresses = broker.raisingToHTTPS(mvpds.map(\.logoURL))
        for (place, address) in addresses.enumerated() { mvpds[place].logoURL = address }
    }
}

extension BrokerError {
    /// Whether the failure may be about the device that asked, and not about the broker or the way to it.
    fileprivate var mayBeOfOneDevice: Bool {
        switch self {
        case .transport(let failure): failure.reason == .request
        case .unavailable: false
        case .unreadable(let answer): answer.status < 500
        case .refused(_, let status): status < 500
        default: true
        }
    }
}
#endif
