#if Client
package import BrokerClient
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
import TextCodecs

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
        let awaited = setUps.latest
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
        let awaited = setUps.latest
        return try await command { () throws(EntitlementFlowError) in
            try await reporting { () throws(EntitlementFlowError) in
                try await body(try foundRequestor(by: awaited))
            }
        }
    }

    private func foundRequestor(by setUp: UInt64?) throws(EntitlementFlowError) -> RequestorID {
        guard case .found(let requestor, _) = requestor else { throw setUps.failure(of: setUp) ?? .requestorNotSet }
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

    func tell(_ event: SessionEvent) {
        listeners.send(event)
        guard let observer = application.observer else { return }
        let told = DeviceEvent(event, of: device.key, visitor: context.options.visitorIdentifier)
        // A task that it starts makes calls of its own.
        CallContext.$ofCommand.withValue(nil) { observer(told) }
    }

    /// Tells `CFG100`, once in a session, if the broker's answers have another time of day than this machine.
    private func tellOfClock() {
        guard !hasToldOfClock, let offset = application.broker.clockOffset,
            offset.milliseconds.magnitude > Self.tolerableClockOffset.milliseconds.magnitude
        else { return }
        hasToldOfClock = true
        tell(.status(SessionStatus(.clockIsWrong)))
    }

    /// How far the clocks may be apart: a minute, as the operator's library had it.
    private static let tolerableClockOffset = TimeToLive.seconds(60)

    /// Tells what analytics count.
    ///
    /// - Parameters:
    ///   - kind: What has ended.
    ///   - isSuccess: Whether it ended well.
    ///   - mvpd: The provider; `nil` if there is none.
    ///   - guid: The user, by the name that tracking has used; `nil` if it is not known.
    ///   - isCached: Whether it was answered without asking.
    func track(
        _ kind: TrackingEvent.Kind,
        isSuccess: Bool,
        mvpd: MVPDID?,
        guid: String? = nil,
        isCached: Bool = false
    ) {
        tell(
            .tracking(
                TrackingEvent(
                    kind, isSuccess: isSuccess, mvpd: mvpd, guid: guid, isCached: isCached,
                    on: TrackedDevice(context.info))))
    }

    /// The name that tracking has used of a user whom no verified media token names.
    ///
    /// Profiles do not tell it. Temporary access has no user but the device, and the name is the MD5 of its
    /// identifier, in hexadecimal digits.
    ///
    /// - Parameter signIn: The sign-in; `nil` if there is none.
    /// - Returns: The name; `nil` if it is not known, or if the system's policy forbids MD5.
    func guid(of signIn: SignIn?) -> String? {
        guard signIn?.isTemporary == true else { return nil }
        return (try? legacyMD5(Array(device.identifier.text.utf8))).map { Hex.encode($0) }
    }
}
#endif
