#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses

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
