#if CLI && Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses

extension BrokerConversation {
    /// Begins a session of this device with the flows, and with its requestor; usually nothing is sent.
    ///
    /// `place` is what sign-ins and logouts name; `nil` for a command that begins neither. If a logout is still to be
    /// made up for, which any command may do, the broker is asked for it.
    ///
    /// `hasUserAgent` says whether addresses are opened on this machine. Otherwise a sign-in is a code, and the session
    /// asks from the start whether it was used. `configure` sets what else the command needs. Throws
    /// `EntitlementFlowError` or `DeviceRecordsError`.
    func session(
        returningTo place: ReturnPlace? = nil,
        hasUserAgent: Bool = false,
        _ configure: (inout EntitlementApplication) -> Void = { _ in }
    ) async throws -> EntitlementSession {
        var place = place
        if place == nil, let record = try await state.directory.record(of: BrokerState.device),
            !record[requestor].logouts.isEmpty
        {
            place = await placeOfLogout()
        }
        var application = EntitlementApplication(
            at: caller.broker, domain: place?.domain ?? "", redirect: place?.redirect ?? "")
        configure(&application)
        var options = SessionOptions()
        options.clientAddress = caller.clientAddress
        options.hasUserAgent = hasUserAgent
        // A terminal has no sign-on partner to ask.
        options.partnerSignIn = .onDemand
        // The state file is the user's own.
        options.revealsDeviceIdentifier = true
        let session = EntitlementSession(of: caller.device, for: application, options: options)
        try await session.setRequestor(requestor)
        return session
    }

    /// Keeps who the subscriber is, for promotional temporary access; throws `DeviceRecordsError`.
    func keep(_ identity: TemporaryIdentity) async throws {
        try await state.directory.change(BrokerState.device) { record throws(Never) in
            record[requestor].identity = identity
        }
    }

    /// The provider that was chosen last, `nil` if there is none; throws `DeviceRecordsError`.
    var provider: ChosenProvider? {
        get async throws { try await state.directory.record(of: BrokerState.device)?[requestor].provider }
    }

    /// The place that a logout returns to: the first domain of the requestor.
    ///
    /// Without an answer of the broker it does not matter: the logout gets none, either.
    func placeOfLogout() async -> ReturnPlace {
        let answer = try? await caller.configuration(requestor: requestor)
        return ReturnPlace(domain: answer?.requestor.domains.first?.name ?? "localhost")
    }
}

/// What sign-ins and logouts name: the requestor's domain, and where a browser goes in the end.
struct ReturnPlace: Sendable, Hashable {
    let domain: String
    let redirect: String

    /// Takes one of the requestor's domains, and where a browser goes: `nil` for the start page of the domain.
    init(domain: String, redirect: String? = nil) {
        (self.domain, self.redirect) = (domain, redirect ?? "https://\(domain)/")
    }
}
#endif
