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
    private let registration = Mutex<ClientRegistration?>(nil)

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
        let device = Device(key: registration.device.key, identifier: registration.device.identifier, info: info)
        let caller = Caller(registration: registration, device: device, clientAddress: address)
        return settings.shown(of: try await application.providers(of: settings.requestor, for: caller))
    }

    /// The registration of the app itself; what the first device says goes with it.
    private func ownRegistration(as info: DeviceInfo) throws(GatewayRefusal) -> ClientRegistration {
        if let known = registration.withLock({ $0 }) { return known }
        // No device has such a key: they are Base64url of 128 bits.
        let key = DeviceKey("gateway.\(settings.id)")
        let device = Device(key: key, identifier: try DeviceToken.identifier(of: key), info: info)
        return registration.withLock { registration in
            if let registration { return registration }
            let new = ClientRegistration(
                with: broker, statement: application.statement, device: device, store: application.directory,
                application: settings.id)
            registration = new
            return new
        }
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
