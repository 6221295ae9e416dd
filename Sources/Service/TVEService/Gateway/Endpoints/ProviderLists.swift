#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Synchronization

/// Fetches the lists of providers for devices that the broker does not know yet.
///
/// A device that only looks at the picker is not registered with the broker: the lists are fetched with a registration of
/// the app's own, with what the device says of itself.
final class ProviderLists: Sendable {
    private let application: EntitlementApplication
    private let settings: ServiceSettings.Gateway.App
    private let own = Mutex(Own())
    private let renewals = SingleFlight<Bool, BrokerError>()

    /// What became of the app's own registration.
    private struct Own {
        /// How often it was forgotten.
        var endings = 0
        /// The uptime at which it was forgotten last.
        var forgotten: Duration?
    }

    /// A broker that refuses an app for good is not asked for a new registration more often.
    private static let renewalInterval: Duration = .seconds(3600)

    init(of application: EntitlementApplication, for settings: ServiceSettings.Gateway.App) {
        (self.application, self.settings) = (application, settings)
    }

    /// The providers that an app shows on a device, filtered and ordered as the app's settings say.
    ///
    /// A registration of the app's own that has ended is renewed once.
    func providers(
        for info: DeviceInfo,
        _ userAgent: UserAgent?,
        from address: ClientAddress
    ) async throws -> [MVPD] {
        // No device has such a key: they are Base64url of 128 bits.
        let key = DeviceKey("gateway.\(settings.id)")
        let identifier = try DeviceToken.identifier(of: key)
        let device = Device(key: key, identifier: identifier, info: info, userAgent: userAgent)
        let caller = application.broker.caller(device, from: address)
        let endings = own.withLock(\.endings)
        var isFirst = true
        while true {
            do throws(EntitlementFlowError) {
                return try await providers(for: caller)
            } catch {
                guard let refusal = Self.ended(by: error) else { throw error }
                // No login hangs on the app's own registration. A new one would be of no more use to a wrong brand.
                guard isFirst, !refusal.isOfBrand,
                    try await forgetRegistration(of: caller, after: refusal, endedAfter: endings)
                else { throw EntitlementFlowError.broker(.registration(refusal.ofApplication)) }
                isFirst = false
            }
        }
    }

    /// The refusal by which a registration has ended; `nil` if the error says something else.
    private static func ended(by error: EntitlementFlowError) -> RegistrationRefusal? {
        guard case .broker(.registration(let refusal)) = error, refusal.decision == .registerAnew else { return nil }
        return refusal
    }

    private func providers(for caller: Caller) async throws(EntitlementFlowError) -> [MVPD] {
        settings.shown(of: try await application.providers(requestor: settings.requestor, for: caller))
    }

    /// Forgets a registration of the app that has ended, so that the next call registers anew; once for all requests
    /// that have met it.
    ///
    /// `caller` has met `refusal`, by which it has ended: one that has taken its place, also by another replica, stays.
    /// `endings` is how many had ended before it. Returns whether there is another one to call with.
    private func forgetRegistration(
        of caller: Caller,
        after refusal: RegistrationRefusal,
        endedAfter endings: Int
    ) async throws -> Bool {
        let answer = await renewals.result { [self] () async -> Result<Bool, BrokerError> in
            let uptime = application.time.uptime
            let (isCurrent, forgotten) = own.withLock { ($0.endings == endings, $0.forgotten) }
            guard isCurrent else { return .success(true) }
            if let forgotten, uptime - forgotten < Self.renewalInterval { return .success(false) }
            do throws(BrokerError) {
                try await caller.forgetRegistration(after: refusal)
            } catch {
                return .failure(error)
            }
            own.withLock { $0 = Own(endings: endings + 1, forgotten: uptime) }
            return .success(true)
        }
        guard let answer else { throw EntitlementFlowError.cancelled }
        return try answer.get()
    }
}

extension RegistrationRefusal {
    /// The same refusal, of the application as a whole: its users can do nothing about it.
    fileprivate var ofApplication: RegistrationRefusal {
        RegistrationRefusal(
            step: step, decision: .askForPermission, status: status, reason: reason, enhancedError: enhancedError)
    }
}

extension ServiceSettings.Gateway.App {
    /// The providers that the app shows: those of its list, in its order; all without a list.
    func shown(of all: [MVPD]) -> [MVPD] {
        guard !providers.isEmpty else { return all }
        return providers.compactMap { id in all.first { $0.id == id } }
    }
}

extension GatewayApp {
    /// The providers that the app shows, of all that the broker lists.
    func shown(of all: [MVPD]) -> [MVPD] { settings.shown(of: all) }
}
#endif
