#if Client
package import BrokerClient
import BrokerMessages
import EntitlementValues

extension EntitlementSession {
    /// Runs a command once all earlier ones have ended, with what the device wanted when it came.
    ///
    /// - Parameter body: The command.
    /// - Returns: What it returned.
    /// - Throws: What it threw; `.cancelled` if the task was cancelled while it waited.
    func command<Answer: Sendable>(
        _ body: () async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let context = context
        guard await queue.enter() else { throw .cancelled }
        defer { queue.leave() }
        defer { tellOfClock() }
        return try await run(in: context, body)
    }

    /// Runs a command that needs the requestor, once all earlier ones have ended.
    ///
    /// It waits for a `setRequestor` that came before it. If a requestor is not set after that, it fails as that one did.
    ///
    /// - Parameter body: The command.
    /// - Returns: What it returned.
    /// - Throws: What it threw; what `setRequestor` threw; `.requestorNotSet`; `.cancelled` if the task was cancelled
    ///   while it waited.
    func requestorCommand<Answer: Sendable>(
        _ body: (RequestorID) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let awaited = state.latestSetUp
        return try await command { () throws(EntitlementFlowError) in
            try await body(try foundRequestor(by: awaited))
        }
    }

    /// Runs a command that belongs to an authentication, and tells its failure, also if it is that of `setRequestor`.
    ///
    /// - Parameter body: The command.
    /// - Returns: What it returned.
    /// - Throws: As ``requestorCommand(_:)``.
    func authenticationCommand<Answer: Sendable>(
        _ body: (RequestorID) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let awaited = state.latestSetUp
        return try await command { () throws(EntitlementFlowError) in
            try await reporting { () throws(EntitlementFlowError) in
                try await body(try foundRequestor(by: awaited))
            }
        }
    }

    private func foundRequestor(by setUp: UInt64?) throws(EntitlementFlowError) -> RequestorID {
        guard case .found(let requestor, _) = requestor else { throw state.failure(ofSetUp: setUp) ?? .requestorNotSet }
        return requestor
    }

    /// The requestor.
    ///
    /// - Throws: `.requestorNotSet`.
    var requestorID: RequestorID {
        get throws(EntitlementFlowError) {
            guard case .found(let id, _) = requestor else { throw .requestorNotSet }
            return id
        }
    }

    /// The origins that answer for the requestor; empty if a requestor is not set.
    package var origins: [BrokerOrigin] {
        guard case .found(_, let origins) = requestor else { return [] }
        return origins
    }

    /// What is told of an outcome of the call that runs in this task.
    var telling: Telling { Telling(of: context.info, device.identifier) }

    func tell(_ events: [SessionEvent]) {
        for event in events {
            listeners.send(event)
            guard let observer = application.observer else { continue }
            let told = DeviceEvent(event, of: device.key, visitor: context.options.visitorIdentifier)
            // A task that it starts makes calls of its own.
            CallContext.$ofCommand.withValue(nil) { observer(told) }
        }
    }

    /// Tells `CFG100`, once in a session, if the broker's answers have another time of day than this machine.
    private func tellOfClock() {
        guard let offset = application.broker.clockOffset,
            offset.milliseconds.magnitude > Self.tolerableClockOffset.milliseconds.magnitude, state.takeClockWarning()
        else { return }
        tell([.status(SessionStatus(.clockIsWrong))])
    }

    /// How far the clocks may be apart: a minute, as the operator's library had it.
    private static let tolerableClockOffset = TimeToLive.seconds(60)
}
#endif
