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
    private let broker: Broker
    private let settings: GatewayAppSettings
    private let own = Mutex(Own())
    private let renewals = SingleFlight<Bool, BrokerError>()

    private struct Own {
        var registration: ClientRegistration?
        /// The uptime at which one was forgotten last.
        var forgotten: Duration?
    }

    /// A broker that refuses an app for good is not asked for a new registration more often.
    private static let renewalInterval: Duration = .seconds(3600)

    init(of application: EntitlementApplication, at broker: Broker, for settings: GatewayAppSettings) {
        (self.application, self.broker, self.settings) = (application, broker, settings)
    }

    /// The providers that an app shows on a device.
    ///
    /// - Parameters:
    ///   - info: What the device says of itself.
    ///   - address: Where the request comes from.
    /// - Returns: The providers, filtered and ordered as the app's settings say.
    /// - Throws: `EntitlementFlowError`; `GatewayRefusal` if libcrypto failed.
    func providers(for info: DeviceInfo, from address: ClientAddress) async throws -> [MVPD] {
        let registration = try ownRegistration(as: info)
        do throws(EntitlementFlowError) {
            return try await providers(for: info, from: address, as: registration)
        } catch .broker(.registration(let refusal)) where refusal.decision == .registerAnew {
            // No login hangs on the app's own registration. A new one would be of no more use to a wrong brand.
            guard refusal.enhancedError?.code != .invalidAccessTokenServiceProvider, try await forget(registration)
            else {
                throw EntitlementFlowError.broker(.registration(refusal.ofApplication))
            }
        }
        let renewed = try ownRegistration(as: info)
        do throws(EntitlementFlowError) {
            return try await providers(for: info, from: address, as: renewed)
        } catch .broker(.registration(let refusal)) where refusal.decision == .registerAnew {
            throw EntitlementFlowError.broker(.registration(refusal.ofApplication))
        }
    }

    private func providers(
        for info: DeviceInfo,
        from address: ClientAddress,
        as registration: ClientRegistration
    ) async throws(EntitlementFlowError) -> [MVPD] {
        let device = Device(key: registration.device.key, identifier: registration.device.identifier, info: info)
        let caller = Caller(registration: registration, device: device, clientAddress: address)
        return settings.shown(of: try await application.providers(requestor: settings.requestor, for: caller))
    }

    /// Forgets a registration of the app that has ended, so that the next call registers anew; once for all requests
    /// that have met it.
    ///
    /// - Parameter ended: The registration.
    /// - Returns: Whether there is another one to call with.
    /// - Throws: `EntitlementFlowError.broker`, `.cancelled`.
    private func forget(_ ended: ClientRegistration) async throws(EntitlementFlowError) -> Bool {
        let answer = await renewals.result { [self] () async -> Result<Bool, BrokerError> in
            let uptime = application.time.uptime
            let (isCurrent, forgotten) = own.withLock { ($0.registration === ended, $0.forgotten) }
            guard isCurrent else { return .success(true) }
            if let forgotten, uptime - forgotten < Self.renewalInterval { return .success(false) }
            do throws(BrokerError) {
                try await ended.forget()
            } catch {
                return .failure(error)
            }
            own.withLock { $0 = Own(registration: nil, forgotten: uptime) }
            return .success(true)
        }
        guard let answer else { throw .cancelled }
        do throws(BrokerError) {
            return try answer.get()
        } catch {
            throw .broker(error)
        }
    }

    /// The registration of the app itself; what the first device says goes with it.
    private func ownRegistration(as info: DeviceInfo) throws(GatewayRefusal) -> ClientRegistration {
        if let known = own.withLock({ $0.registration }) { return known }
        // No device has such a key: they are Base64url of 128 bits.
        let key = DeviceKey("gateway.\(settings.id)")
        let device = Device(key: key, identifier: try DeviceToken.identifier(of: key), info: info)
        return own.withLock { own in
            if let registration = own.registration { return registration }
            let new = ClientRegistration(
                with: broker, statement: application.statement, device: device, store: application.directory,
                application: settings.id)
            own.registration = new
            return new
        }
    }
}

extension RegistrationRefusal {
    /// The same refusal of the application, which no user of it can do anything about.
    fileprivate var ofApplication: RegistrationRefusal {
        RegistrationRefusal(
            step: step, decision: .askForPermission, status: status, reason: reason, enhancedError: enhancedError)
    }
}

extension GatewayAppSettings {
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
