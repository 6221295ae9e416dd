#if Service
import BrokerClient
import DeviceRecords
package import EntitlementFlows
import EntitlementValues

/// An app that the gateway serves: its settings, and the sessions of its devices.
package struct GatewayApp: Sendable {
    let settings: GatewayAppSettings
    /// What the app's devices talk to the broker with.
    let application: EntitlementApplication
    /// The devices' sessions; each knows its requestor.
    package let sessions: DeviceSessions
    /// Fetches lists of providers for devices that the broker does not know yet.
    let lists: ProviderLists

    /// The name of the app.
    var id: String { settings.id }
    /// The brand that the app belongs to.
    var requestor: RequestorID { settings.requestor }

    init(_ settings: GatewayAppSettings, application: EntitlementApplication) {
        (self.settings, self.application) = (settings, application)
        lists = ProviderLists(of: application, for: settings)
        let requestor = settings.requestor
        sessions = DeviceSessions(for: application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(requestor)
        }
    }
}
#endif
