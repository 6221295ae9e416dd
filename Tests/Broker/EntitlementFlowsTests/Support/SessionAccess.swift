#if Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues

// What tests look at, or bring about, beside the calls of a session: each as a call that comes now.
extension EntitlementSession {
    func record(requestor: RequestorID) async throws(EntitlementFlowError) -> RequestorRecord {
        try await record(SessionCall(for: requestor, in: newContext()))
    }

    @discardableResult
    func change<Answer: Sendable>(
        requestor: RequestorID,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        try await change(SessionCall(for: requestor, in: newContext()), body)
    }

    func refreshProfile(requestor: RequestorID) async throws(EntitlementFlowError) -> ProfileAnswer {
        try await refreshProfile(SessionCall(for: requestor, in: newContext()))
    }

    func retryLogouts(requestor: RequestorID) async throws(EntitlementFlowError) -> [UnconfirmedLogout] {
        try await retryLogouts(SessionCall(for: requestor, in: newContext()))
    }

    func caller(at origin: BrokerOrigin) -> Caller { access.caller(at: origin, newContext()) }

    /// The origins that answer for the requestor; empty if a requestor is not set.
    var origins: [BrokerOrigin] { access.origins }
}
#endif
