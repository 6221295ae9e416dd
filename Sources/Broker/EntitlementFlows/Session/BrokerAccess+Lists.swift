#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension BrokerAccess {
    /// The providers of all origins: from memory if that is not older than three minutes, else all are asked at once.
    ///
    /// `origins` are those of a requestor that is being set; `nil` for those of the requestor that is. Sessions of an
    /// application that ask at the same time share the requests. The lists of those that answered are merged; each provider is
    /// pinned from now on. Throws `.noOrigin` with the cause of each, `.cancelled`.
    func providers(
        _ call: SessionCall,
        at origins: [BrokerOrigin]? = nil
    ) async throws(EntitlementFlowError) -> ProviderList {
        let questions = (origins ?? self.origins).map { origin in
            let key = listKey(at: origin, call)
            return (origin, key, caller(at: origin, call.context))
        }
        let shared = application.shared
        let answers = await withTaskGroup(of: OriginAnswer.self) { group in
            for (place, (origin, key, caller)) in questions.enumerated() {
                group.addTask {
                    do throws(BrokerError) {
                        let list = try await shared.list(key, by: caller)
                        return OriginAnswer(place, origin, .success(list), after: shared.answerTime(of: key))
                    } catch {
                        return OriginAnswer(place, origin, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return try list(of: answers)
    }

    /// What is kept of a provider: what the list in memory says of it, else what the record has, else the bare
    /// identifier.
    ///
    /// A process that has not asked for the lists must not take away what another one knew. `recorded` is the provider
    /// of the record, which may be another one.
    func provider(
        mvpd id: MVPDID,
        _ call: SessionCall,
        recordedAs recorded: ChosenProvider? = nil
    ) -> ChosenProvider {
        let recorded = recorded.flatMap { $0.id == id ? $0 : nil }
        let pin = pins[id].map { "\($0)" } ?? recorded?.origin
        guard let mvpd = knownProvider(id, call) else {
            return recorded ?? ChosenProvider(id: id, origin: pin)
        }
        return ChosenProvider(mvpd, pinnedTo: pin)
    }

    /// Whether it is not known which of several origins answers for a provider, so that their lists have to tell.
    func needsLists(mvpd id: MVPDID, recordedAs recorded: ChosenProvider?) -> Bool {
        guard origins.count > 1, pins[id] == nil else { return false }
        guard let recorded, recorded.id == id else { return true }
        return !origins.contains { "\($0)" == recorded.origin }
    }

    /// Asks for the lists, so that it is known which of several origins answers for a provider.
    ///
    /// `recorded` is the provider of the record, which may be another one. Throws `.noOrigin` if none has the provider
    /// and one did not answer, so that it may be that one; `.unknownProvider` if it may be among those that could not
    /// be read; `.cancelled`.
    func askForLists(
        mvpd: MVPDID,
        _ call: SessionCall,
        recordedAs recorded: ChosenProvider?
    ) async throws(EntitlementFlowError) {
        let list = try await providers(call)
        guard needsLists(mvpd: mvpd, recordedAs: recorded), !isKnownToBeMissing(mvpd, call) else {
            return
        }
        guard list.failures.isEmpty else { throw .noOrigin(list.failures) }
        throw .unknownProvider(mvpd)
    }

    /// What the list in memory says of a provider, however old it is; `nil` if it is not listed, or no list is known.
    private func knownProvider(_ id: MVPDID, _ call: SessionCall) -> MVPD? {
        for origin in pins[id].map({ [$0] }) ?? origins {
            let list = application.shared.list(listKey(at: origin, call), evenIfOld: true)
            if let mvpd = list?.mvpds.first(where: { $0.id == id }) { return mvpd }
        }
        return nil
    }

    /// Whether a whole list is in memory for each origin, however old, and none has the provider.
    func isKnownToBeMissing(_ id: MVPDID, _ call: SessionCall) -> Bool {
        origins.allSatisfy { origin in
            let (shared, key) = (application.shared, listKey(at: origin, call))
            let list = shared.list(key, evenIfOld: true)
            return list?.mvpds.contains { $0.id == id } == false && shared.isWhole(key)
        }
    }

    private func list(of answers: [OriginAnswer]) throws(EntitlementFlowError) -> ProviderList {
        let ordered = answers.sorted { $0.place < $1.place }
        let ranked =
            application.hostPolicy == .ordered ? ordered : answers.sorted { ($0.took, $0.place) < ($1.took, $1.place) }
        let found = ranked.compactMap { answer in (try? answer.result.get()).map { (answer.origin, $0) } }
        guard !found.isEmpty else {
            if Task.isCancelled { throw .cancelled }
            throw .noOrigin(ordered.compactMap(\.failure))
        }
        let list = ProviderList(merging: found, without: ordered.compactMap(\.failure))
        pin(answers.count > 1 ? list.pins : [:])
        return list
    }

    /// What a list from an origin depends on.
    private func listKey(at origin: BrokerOrigin, _ call: SessionCall) -> SharedAnswers.ListKey {
        SharedAnswers.ListKey(
            origin: origin, requestor: call.requestor, platform: device.saying(what: call.context).platform,
            profile: call.context.options.profile)
    }
}

/// What an origin answered to the question for its list.
private struct OriginAnswer: Sendable {
    let place: Int
    let origin: BrokerOrigin
    let result: Result<RequestorConfiguration, BrokerError>
    /// How long the origin took when it was asked, which may have been for another session; the most if that is not known.
    let took: Duration

    init(
        _ place: Int,
        _ origin: BrokerOrigin,
        _ result: Result<RequestorConfiguration, BrokerError>,
        after took: Duration? = nil
    ) {
        (self.place, self.origin, self.result) = (place, origin, result)
        self.took = took ?? .seconds(Int64.max)
    }

    var failure: OriginFailure? {
        guard case .failure(let error) = result else { return nil }
        return OriginFailure(at: origin, because: error)
    }
}

/// The providers of all origins, each pinned to one of them.
struct ProviderList: Sendable {
    /// The providers, in the order in which they are shown.
    private(set) var mvpds: [MVPD] = []
    /// The origin that answers for each provider.
    private(set) var pins: [MVPDID: BrokerOrigin] = [:]
    /// The origins whose lists are not there, in the order of the call.
    let failures: [OriginFailure]

    /// Merges lists: the order of the first one is kept, and further providers are appended.
    ///
    /// The first list that has a provider gives the provider its origin. `failures` are the origins that did not
    /// answer.
    init(
        merging lists: [(origin: BrokerOrigin, configuration: RequestorConfiguration)],
        without failures: [OriginFailure] = []
    ) {
        self.failures = failures
        for (origin, configuration) in lists {
            for mvpd in configuration.mvpds where pins[mvpd.id] == nil {
                mvpds.append(mvpd)
                pins[mvpd.id] = origin
            }
        }
    }

    /// The provider of an identifier; `nil` if there is none.
    subscript(_ id: MVPDID) -> MVPD? { mvpds.first { $0.id == id } }
}
#endif
