#if Service
import TVEService

extension GatewayBench {
    /// How many requests of this replica wait for the end of a sign-in.
    var waitingRequests: Int { service.service.state.runtime?.longPolls.count ?? 0 }
}
#endif
