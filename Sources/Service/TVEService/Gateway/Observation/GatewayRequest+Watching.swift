#if Service
import EntitlementFlows
import EntitlementValues

extension GatewayRequest {
    /// Refuses a device that has no record: its user never began to sign in, so there is nothing to ask the broker.
    ///
    /// - Throws: `GatewayRefusal`.
    func requireRecord() throws(GatewayRefusal) {
        guard record != nil else { throw GatewayRefusal(.notAuthenticated) }
    }

    /// Counts what became of a question about a provider's user.
    ///
    /// - Parameters:
    ///   - outcome: What became of it.
    ///   - mvpd: The provider; `nil` if there is none, or if it is not known.
    func count(_ outcome: PlayOutcome, of mvpd: MVPDID?) {
        // All but failures are the broker's word about the provider, so it is one that exists.
        if outcome != .failed, let mvpd { state.metrics.gateway.learn([mvpd]) }
        state.metrics.gateway.count(outcome, at: call.path.endpoint, of: mvpd)
    }
}
#endif
