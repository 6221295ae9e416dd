#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import SealedRecords
import ServiceResponses
import StoreAddresses
import Synchronization
import TextCodecs

/// What an examination found; `isOpen` says that the broker did not answer, so that it is not known.
typealias ExaminationFindings = [(fault: SettingsFault, isOpen: Bool)]

/// The last examination of a gateway.
struct LastExamination {
    /// `nil` before the first one has ended.
    var findings: ExaminationFindings?
    var isRunning = false
    /// When it ended, as uptime; `nil` before the first one has ended.
    var end: Duration?
}

extension Gateway {
    /// Asks the broker once for the configuration of each requestor, and compares its domains with the settings.
    ///
    /// The broker refuses a sign-in for a domain, or with a way back, that is not among them: better known before the first
    /// viewer finds out. Each app registers for it, and its credentials are forgotten again.
    func examination() async -> ExaminationFindings {
        var findings = await storeFindings()
        for app in apps.values.sorted(by: { $0.id < $1.id }) {
            do throws(BrokerError) {
                findings += try await faults(of: app).map { ($0, false) }
            } catch {
                let isRefusal: Bool =
                    switch error {
                    case .refused, .registration, .request: true
                    default: false
                    }
                let setting = "broker.apps.\(app.id).\(isRefusal ? "statementFile" : "requestor")"
                findings.append(
                    (SettingsFault(setting: setting, code: error.code, detail: error.description), !isRefusal))
            }
        }
        return findings
    }

    /// What the last examination found to be wrong; `nil` before the first one has ended.
    ///
    /// The first call begins an examination. A later call begins another only if the broker did not answer, and a
    /// minute has passed.
    func examined() -> ExaminationFindings? {
        let (findings, begins) = lastExamination.withLock { last in
            let isKnown = last.findings.map { !$0.contains { $0.isOpen } } ?? false
            let isRecent = last.end.map { time.uptime - $0 < .seconds(60) } ?? false
            let begins = !last.isRunning && !isKnown && !isRecent
            if begins { last.isRunning = true }
            return (last.findings, begins)
        }
        if begins {
            Task {
                let found = await examination()
                lastExamination.withLock { $0 = LastExamination(findings: found, end: time.uptime) }
            }
        }
        return findings
    }

    /// Whether a store on this host belongs to the ring; a server is not contacted.
    private func storeFindings() async -> ExaminationFindings {
        guard !settings.records.isRedis else { return [] }
        do throws(DeviceRecordsError) {
            try await directory.matchKeys()
            return []
        } catch {
            let fault = SettingsFault(setting: "broker.keyFile", code: error.code, detail: error.description)
            if case .store = error { return [(fault, true)] }
            return [(fault, false)]
        }
    }

    private func faults(of app: GatewayApp) async throws(BrokerError) -> [SettingsFault] {
        let domains = try await configuration(of: app).domains
        let names = domains.map { $0.name.printable }.joined(separator: ", ")
        var faults: [SettingsFault] = []
        if !domains.contains(where: { $0.name.hasSameBytes(as: app.settings.domain) }) {
            faults.append(
                SettingsFault(
                    setting: "broker.apps.\(app.id).domain", code: "unknown_domain",
                    detail: "is not among the domains of \(app.requestor.rawValue.printable): \(names)"))
        }
        if !domains.contains(where: { $0.covers(settings.publicURL.host) }) {
            faults.append(
                SettingsFault(
                    setting: "broker.publicURL", code: "unknown_domain",
                    detail: "its host does not belong to the domains of \(app.requestor.rawValue.printable): \(names); "
                        + "let the operator add it"))
        }
        return faults
    }

    private func configuration(of app: GatewayApp) async throws(BrokerError) -> RequestorConfiguration {
        let records = DeviceDirectory(in: InMemoryRecordStore(time: time), sealer: .unsealed, time: time)
        // A device that no user has: it asks for the configuration and no more.
        guard let identifier = try? DeviceIdentifier("tve-serve-check-\(Int64.random(in: 0...Int64.max))") else {
            throw .request(.missingField(name: DeviceIdentifier.name))
        }
        let device = Device(key: "check", identifier: identifier, info: .nothing)
        let broker = app.application.broker
        let caller = broker.serving(broker.application, records: records).caller(device, from: nil)
        return try await caller.configuration(requestor: app.requestor).requestor
    }
}

extension ConfiguredDomain {
    /// Whether a host is the domain, or belongs to it.
    fileprivate func covers(_ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased())
        return host == name || host.hasSuffix(".\(name)")
    }
}
#endif
