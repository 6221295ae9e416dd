#if Client
import BrokerClient
package import BrokerMessages
package import DeviceRecords
package import EntitlementValues
import Synchronization

/// What a device says of itself and wants, as it counts for one call from its beginning to its end.
///
/// Calls of one device may come from several addresses at once. By the address alone, a provider may know a household; so
/// no request of a call goes out with the address of another one.
package struct CallContext: Sendable {
    /// The session's own name: a task that listens to its events, and inherits this, must not keep the session.
    let session: String
    var options: SessionOptions
    var info: DeviceInfo
    /// What the program on the device calls itself; `nil` if it is not known.
    let userAgent: UserAgent?

    package init(session: String, options: SessionOptions, info: DeviceInfo, userAgent: UserAgent? = nil) {
        (self.session, self.options, self.info, self.userAgent) = (session, options, info, userAgent)
    }

    /// The use of a session by ``DeviceSessions`` in this task, for the commands that are yet to come.
    @TaskLocal static var ofUse: SessionUse?

    /// Whether the device can open an address, by the options or what the device says of itself.
    var hasUserAgent: Bool {
        if let stated = options.hasUserAgent { return stated }
        let hardware = info[.primaryHardwareType].map { HardwareType($0) }
        let screens: [HardwareType] = [.tv, .setTopBox, .gamesConsole, .mediaPlayer, .projector]
        if let hardware { return !screens.contains(hardware) }
        return !["tvos", "roku os", "webos", "tizen"].contains(info[.osName]?.lowercased())
    }

    /// Whether the device has a sign-on partner that has said nothing yet, by the options or what the device says of itself.
    ///
    /// A browser has no access to the account of the system that it runs on.
    var hasPartner: Bool {
        options.hasPartner ?? (info.isOfPartnerPlatform && info[.browserName]?.isEmpty != false)
    }
}

/// A call of a session: for which brand, and with what the device wants in it.
///
/// It is made when the call comes, and handed on.
package struct SessionCall: Sendable {
    package let requestor: RequestorID
    package internal(set) var context: CallContext

    package init(for requestor: RequestorID, in context: CallContext) {
        (self.requestor, self.context) = (requestor, context)
    }

    /// What the device's partner said: in the call, else as long as the record has it and it holds.
    package func partnerStatus(in record: RequestorRecord, at now: Timestamp) -> PartnerFrameworkStatus? {
        if let status = context.options.partnerStatus { return status }
        return record.partner.flatMap { $0.until > now ? $0.status : nil }
    }
}

/// A use of a session for several calls; between them, the device may change what it wants.
///
/// Tasks that are started meanwhile inherit it, and may outlive it. So it says when it has ended: what they do after that
/// is not a part of it.
final class SessionUse: Sendable {
    private let state: Mutex<CallContext?>
    /// The use of another session in which this one began.
    private let outer: SessionUse?

    init(with context: CallContext, in outer: SessionUse? = nil) {
        state = Mutex(context)
        self.outer = outer
    }

    /// The innermost use of a session that has not ended: this one, or one around it.
    func use(of session: String) -> SessionUse? {
        state.withLock { $0?.session == session } ? self : outer?.use(of: session)
    }

    /// The context of the innermost use of a session that has not ended.
    func context(of session: String) -> CallContext? {
        use(of: session)?.state.withLock { $0 }
    }

    func set(_ context: CallContext) { state.withLock { $0 = $0 == nil ? nil : context } }

    func end() { state.withLock { $0 = nil } }
}
#endif
