#if Client
package import BrokerClient
import BrokerMessages
import EntitlementValues

extension EntitlementSession {
    /// Runs a command once all earlier ones have ended, with what the device wanted when it came.
    ///
    /// Without a context, the command comes now. It fails as `.cancelled` if the task is cancelled while it waits.
    func command<Answer: Sendable>(
        in context: CallContext? = nil,
        _ body: (CallContext) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let context = context ?? newContext()
        guard await queue.enter() else { throw .cancelled }
        defer { queue.leave() }
        defer { tellOfClock(context) }
        return try await body(context)
    }

    /// Runs a command that needs the requestor, once all earlier ones have ended.
    ///
    /// It waits for a `setRequestor` that came before it. If a requestor is not set after that, it fails as that one did,
    /// or as `.requestorNotSet`. Of a command that belongs to an authentication, each failure is told.
    func requestorCommand<Answer: Sendable>(
        in context: CallContext? = nil,
        tellingFailure isTold: Bool = false,
        _ body: (SessionCall) async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let awaited = state.latestSetUp
        return try await command(in: context) { context throws(EntitlementFlowError) in
            do throws(EntitlementFlowError) {
                guard case .found(let id, _) = requestor else {
                    throw state.failure(ofSetUp: awaited) ?? .requestorNotSet
                }
                return try await body(SessionCall(for: id, in: context))
            } catch {
                if isTold { tellFailure(of: error, ending: state.pending, context) }
                throw error
            }
        }
    }

    /// A call for the requestor of now; throws `.requestorNotSet`.
    func call(in context: CallContext) throws(EntitlementFlowError) -> SessionCall {
        guard case .found(let id, _) = requestor else { throw .requestorNotSet }
        return SessionCall(for: id, in: context)
    }

    /// The origins that answer for the requestor; empty if a requestor is not set.
    package var origins: [BrokerOrigin] {
        guard case .found(_, let origins) = requestor else { return [] }
        return origins
    }

    /// What is told of an outcome of a call.
    func telling(_ context: CallContext) -> Telling { Telling(of: context.info, device.identifier) }

    func tell(_ events: [SessionEvent], _ context: CallContext) {
        for event in events {
            listeners.send(event)
            application.observer?(DeviceEvent(event, of: device.key, visitor: context.options.visitorIdentifier))
        }
    }

    /// Tells `CFG100`, once in a session, if the broker's answers have another time of day than this machine.
    private func tellOfClock(_ context: CallContext) {
        guard let offset = application.broker.clockOffset,
            offset.milliseconds.magnitude > Self.tolerableClockOffset.milliseconds.magnitude, state.takeClockWarning()
        else { return }
        tell([.status(SessionStatus(.clockIsWrong))], context)
    }

    /// How far the clocks may be apart: a minute, as the operator's library had it.
    private static let tolerableClockOffset = TimeToLive.seconds(60)
}
#endif
