#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// The metrics that are looked up when they are asked for, since they are states and not counts.
///
/// Keys and stores come from the configuration, so a key that a reload took away is gone here, too.
struct ObservedMetrics {
    private(set) var text = ""

    /// Looks at a service.
    init(_ state: ServiceState) {
        family("tve_build_info", "The versions of the service and of OpenSSL.") {
            [(["version": releaseVersion, "openssl": openSSLVersion], "1")]
        }
        let listeners = [state.publicConnections, state.internalConnections, state.decryptionConnections]
            .compactMap(\.self)
        family("tve_connections", "Open connections.") {
            listeners.map { (["listener": $0.listener.rawValue], "\($0.count)") }
        }
        family("tve_connections_limit", "The most connections that are open at the same time (limits.connections).") {
            listeners.map { (["listener": $0.listener.rawValue], "\($0.limit)") }
        }
        family("tve_key_expires_timestamp_seconds", "When the certificate of a key that is in use expires.") {
            state.configuration.keys.keys.compactMap { key in
                guard let end = key.validity?.upperBound else { return nil }
                let labels = ["key": key.label.printable, "fingerprint": String(key.fingerprint.prefix(16))]
                return (labels, "\(end.milliseconds / 1000)")
            }
        }
        let reload = state.history.lastReload
        family("tve_reload_timestamp_seconds", "When configuration and keys were last read again.") {
            reload.map { [([:], Self.seconds($0.at))] } ?? []
        }
        family("tve_reload_success", "Whether that reload succeeded; if not, tve_keys tells which keys are in use.") {
            reload.map { [([:], $0.faults.isEmpty ? "1" : "0")] } ?? []
        }
        let isRefused = state.isRefused
        family("tve_keys", "Keys in use; former if the last reload was refused: those of before, if not taken away.") {
            state.configuration.keyCounts.map { (["use": $0.use, "former": "\(isRefused)"], "\($0.count)") }
        }
        family("tve_store_up", "Whether a store answered when it was last used or asked.") {
            state.storeHealth.watches.inUse.map { (["store": $0.store.rawValue], $0.isFailing ? "0" : "1") }
        }
        if let timers = state.gateway?.runtime.timers {
            family("tve_gateway_sign_in_tasks", "What is to be done later about sign-ins of devices.") {
                [([:], "\(timers.count)")]
            }
            family(
                "tve_gateway_sign_in_tasks_dropped_total", "The same for which there was no room.", isCounter: true
            ) { [([:], "\(timers.droppedCount)")] }
        }
        observeProcess(since: state.started)
    }

    /// The metrics that Prometheus expects of every process, under their usual names.
    private mutating func observeProcess(since start: Timestamp) {
        family("process_start_time_seconds", "When the service started.") { [([:], Self.seconds(start))] }
        family("process_cpu_seconds_total", "Processor time of the process so far.", isCounter: true) {
            [([:], "\(Double(ProcessUsage.processorNanoseconds) / 1e9)")]
        }
        family("process_resident_memory_bytes", "Memory that the process has in use.") {
            ProcessUsage.residentBytes.map { [([:], "\($0)")] } ?? []
        }
        family("process_open_fds", "Files and connections that the process has open.") {
            ProcessUsage.openFiles.map { [([:], "\($0)")] } ?? []
        }
        family("process_max_fds", "The most files and connections that the process may have open.") {
            ProcessUsage.maximumOpenFiles.map { [([:], "\($0)")] } ?? []
        }
    }

    private static func seconds(_ instant: Timestamp) -> String { "\(Double(instant.milliseconds) / 1000)" }

    /// Writes a family; one without series is there by its name.
    private mutating func family(
        _ name: String,
        _ description: String,
        isCounter: Bool = false,
        of series: () -> [(labels: [String: String], value: String)]
    ) {
        text += "# HELP \(name) \(description)\n# TYPE \(name) \(isCounter ? "counter" : "gauge")\n"
        for (labels, value) in series() {
            let pairs = labels.sorted { $0.key < $1.key }.map { "\($0)=\"\(MetricsRegistry.escaped($1))\"" }
            text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(value)\n"
        }
    }
}
#endif
