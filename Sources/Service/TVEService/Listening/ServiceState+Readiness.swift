#if Service
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import Synchronization

extension ServiceState {
    /// The names of the reasons why an instance is not ready, as openapi.yaml lists them.
    package enum ReadinessCode: String, CaseIterable {
        case draining
        case noKeys = "no_keys"
        case keysExpired = "keys_expired"
        case configurationRefused = "configuration_refused"
        case storeUnavailable = "store_unavailable"
        case devicesUnavailable = "devices_unavailable"
    }

    /// The reasons why this instance is not ready; empty if it is.
    ///
    /// `readiness` says when a store that fails counts.
    func reasons(countingStore readiness: StoreHealth.Readiness) async -> [(code: String, detail: String)] {
        var reasons: [(code: String, detail: String)] = []
        func add(_ code: ReadinessCode, _ detail: String) { reasons.append((code.rawValue, detail)) }
        if isDraining { add(.draining, "the service is stopping") }
        if configuration.keys.keys.isEmpty {
            add(.noKeys, "all keys were taken away or revoked, so no token can be verified")
        } else if !configuration.hasCurrentKey(at: time.now) {
            add(.keysExpired, "the certificates of all keys are expired")
        }
        if let grace = configuration.settings.refusedGrace, let since = refusedSince.withLock({ $0 }),
            time.uptime - since >= grace
        {
            add(.configurationRefused, "the changed configuration is refused; \(configuration.remainder)")
        }
        let storeGrace = configuration.settings.storeGrace
        if let fault = await storeHealth.fault(counting: readiness, grace: storeGrace) {
            add(.storeUnavailable, fault)
        }
        if let fault = await gateway?.keyFault() { add(.devicesUnavailable, fault.description) }
        return reasons
    }
}
#endif
