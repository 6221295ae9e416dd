#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
package import EntitlementFlows
import EntitlementValues
import Logging
import PlaybackSessions
import SealedRecords
import Synchronization

/// What apps on every platform talk to instead of the broker: the flows over plain HTTP and JSON, with all secrets kept
/// here.
///
/// A reload makes a new gateway on the same store; requests that have begun go on with the old one.
package final class Gateway: Sendable {
    package let settings: ServiceSettings.Gateway
    /// What the process keeps over reloads.
    let runtime: GatewayRuntime
    /// The apps by their ids.
    package let apps: [String: GatewayApp]
    /// The records that the broker's client keeps of devices.
    let directory: DeviceDirectory
    /// The records that the gateway itself keeps of devices.
    let devices: GatewayDevices
    let tokens: DeviceTokens
    let sealer: RecordSealer
    let counters: RateCounters
    private let ring: SealingKeys
    /// Whether the store is known to belong to the ring.
    private let hasCheckedKeys: Atomic<Bool>
    /// What ``examined()`` knows.
    let lastExamination = Mutex(LastExamination())

    /// The time that everything goes by.
    var time: TimeSource { runtime.time }

    /// Makes the gateway of a configuration, or `nil` if it has none; nothing is sent, and nothing is read.
    ///
    /// The settings come with what the files say that they name. `runtime` is what the process keeps over reloads;
    /// `nil` if it has not opened what a gateway needs. The gateway that is replaced is on the same store. Throws if
    /// libcrypto failed.
    init?(
        of configuration: ActiveConfiguration,
        in runtime: GatewayRuntime?,
        replacing older: Gateway? = nil
    ) throws(SealingError) {
        guard let settings = configuration.settings.gateway, let secrets = configuration.gatewaySecrets, let runtime
        else { return nil }
        (self.settings, self.runtime, ring) = (settings, runtime, secrets.ring)
        // Asked once: a store that stalls after a reload must not count as one that was never looked at.
        hasCheckedKeys = Atomic(
            older.map { $0.hasCheckedKeys.load(ordering: .acquiring) && $0.ring.isSame(as: secrets.ring) } ?? false)
        let time = runtime.time
        sealer = RecordSealer(secrets.ring)
        tokens = try DeviceTokens(sealer)
        devices = GatewayDevices(in: runtime.devices, sealer: sealer, time: time)
        counters = RateCounters(in: runtime.counts, sealer: sealer, time: time)
        let directory = DeviceDirectory(in: runtime.devices, sealer: sealer, time: time)
        self.directory = directory
        let redirect = "\(settings.publicURL)/v1/return"
        var (first, apps) = (Broker?.none, [String: GatewayApp]())
        for app in settings.apps {
            guard let statement = secrets.statements[app.id] else { continue }
            let served = Broker.Application(statement, name: app.id)
            let broker =
                first?.serving(served, records: directory)
                ?? Broker(
                    at: BrokerEnvironment(of: settings.origin), application: served, records: directory,
                    over: runtime.transport, pacer: runtime.pacer, time: time,
                    observation: BrokerObservation(logger: runtime.logger, metrics: runtime.metrics.factory))
            first = first ?? broker
            var application = EntitlementApplication(at: broker, domain: app.domain, redirect: redirect)
            application.verification = TokenVerification(
                by: configuration.verifier, redeemingIn: runtime.redemptions)
            application.observer = runtime.events?.observer(ofApp: app.id)
            application.decrypter = configuration.decrypter
            application.promotionalProviders = Set(app.promotionalProviders)
            application.hashesIdentity = app.hashesIdentity
            application.webViewProviders = Set(app.webViewProviders)
            apps[app.id] = GatewayApp(app, application: application)
        }
        self.apps = apps
    }

    /// Ends the sessions of all devices; another gateway, or another process, goes on with them.
    ///
    /// It waits for the requests that use them, at most as long as the limit.
    func drain(within limit: Duration) async {
        await withTaskGroup { group in
            for app in apps.values { group.addTask { await app.sessions.drain(within: limit) } }
        }
    }
}

/// An app that the gateway serves: its settings, and the sessions of its devices.
package struct GatewayApp: Sendable {
    let settings: ServiceSettings.Gateway.App
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

    init(_ settings: ServiceSettings.Gateway.App, application: EntitlementApplication) {
        (self.settings, self.application) = (settings, application)
        lists = ProviderLists(of: application, for: settings)
        let requestor = settings.requestor
        sessions = DeviceSessions(for: application) { session throws(EntitlementFlowError) in
            try await session.setRequestor(requestor)
        }
    }
}

extension Gateway {
    /// Checks once that the store belongs to this ring, before anything is read from it.
    ///
    /// With another ring every device would look unknown, and would be registered anew.
    ///
    /// Throws with the status 503 as long as that is not certain.
    func checkKeys() async throws(RequestError) {
        guard !hasCheckedKeys.load(ordering: .acquiring) else { return }
        if let error = await keyFault() { throw .storeUnavailable(error.code) }
    }

    /// Why the store of devices cannot be used with this ring, or cannot tell; `nil` if it can be used.
    func keyFault() async -> DeviceRecordsError? {
        guard !hasCheckedKeys.load(ordering: .acquiring) else { return nil }
        do throws(DeviceRecordsError) {
            try await directory.checkKeys()
            hasCheckedKeys.store(true, ordering: .releasing)
            return nil
        } catch {
            return error
        }
    }
}
#endif
