#if Client
public import BrokerMessages
import BrokerClient
import Synchronization

/// What a device says of itself and wants, as it counts for one call from its beginning to its end.
///
/// Calls of one device may come from several addresses at once. By the address alone, a provider may know a household; so
/// no request of a call goes out with the address of another one.
struct CallContext: Sendable {
    /// The session's own name: a task that listens to its events, and inherits this, must not keep the session.
    let poller: String
    var options: SessionOptions
    var info: DeviceInfo

    /// That of the command that runs or waits in this task.
    @TaskLocal static var ofCommand: CallContext?
    /// That of the use of a session by ``DeviceSessions`` in this task, for the commands that are yet to come.
    @TaskLocal static var ofUse: SessionUse?
}

/// A use of a session, in which the device may change what it wants.
final class SessionUse: Sendable {
    private let state: Mutex<CallContext>

    init(with context: CallContext) { state = Mutex(context) }

    var context: CallContext { state.withLock { $0 } }

    func set(_ options: SessionOptions, _ info: DeviceInfo) {
        state.withLock { ($0.options, $0.info) = (options, info) }
    }
}

extension EntitlementSession {
    /// What the device says of itself and wants in the call that this task makes; without one, what counts now.
    var context: CallContext {
        if let context = CallContext.ofCommand, context.poller == poller { return context }
        return use?.context ?? CallContext(poller: poller, options: options, info: device.info)
    }

    /// The use of this session in this task; `nil` if there is none.
    private var use: SessionUse? {
        guard let use = CallContext.ofUse, use.context.poller == poller else { return nil }
        return use
    }

    /// Changes what the device says of itself and wants.
    ///
    /// It waits for nothing, and counts from the next call on; a call that is under way or waits for its turn keeps what it
    /// came with.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - info: What the device says of itself; `nil` leaves it as it is.
    public func setOptions(_ options: SessionOptions, deviceInfo info: DeviceInfo? = nil) {
        take(info ?? use?.context.info ?? device.info, options)
        use?.set(options, device.info)
    }

    /// Takes over what the device says of itself and wants now.
    func take(_ info: DeviceInfo, _ options: SessionOptions) {
        self.options = options
        if info != device.info { device = Device(key: device.key, identifier: device.identifier, info: info) }
    }

    /// Runs a command in its context.
    func run<Answer: Sendable>(
        in context: CallContext,
        _ body: () async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let answer = await CallContext.$ofCommand.withValue(context) { () -> Result<Answer, EntitlementFlowError> in
            do throws(EntitlementFlowError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }
}
#endif
