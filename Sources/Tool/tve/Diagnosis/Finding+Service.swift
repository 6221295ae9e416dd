#if CLI
#if Service
import Logging
import OpenSSLBridge
import TVEService
#endif

extension Finding {
    #if Service
    /// Reads the settings of a service as it does at its start, and asks every store and the broker that they name.
    ///
    /// The file is the service's configuration file. What the stores themselves warn of goes to the log, on standard
    /// error. Throws `CommandFailure` without the trait Service.
    static func all(about file: String) async throws -> [Finding] {
        // Connections to stores have threads of their own, which may be at work when the process ends.
        keepLibcryptoAtExit()
        defer { JSONLogHandler.flush() }
        let source = SettingsSource(file: file)
        let settings: ServiceSettings
        let service: VerificationService
        do throws(ServiceSettingsError) {
            settings = try await source.read()
            let logger = Logger(label: "tve") { _ in JSONLogHandler(logLevel: .warning) }
            service = try VerificationService(settings, from: source, logger: logger)
        } catch {
            return error.faults.map {
                Finding(severity: .problem, check: "settings", file: file, detail: $0.description)
            }
        }
        var findings = [
            Finding(severity: .ok, check: "settings", file: file, detail: "\(file): no fault in configuration and keys")
        ]
        findings += (settings.warnings + settings.unresolvableHosts).map {
            Finding(severity: .warning, check: "settings", file: file, detail: $0.description)
        }
        for (setting, fault) in await service.askStores() {
            findings.append(
                fault.map {
                    Finding(
                        severity: .problem, check: "store", detail: "the store of \(setting) does not answer: \($0)",
                        advice: "until it does, what needs it is refused")
                } ?? Finding(severity: .ok, check: "store", detail: "the store of \(setting) answers"))
        }
        findings += await service.checkBroker().map { fault, _ in
            Finding(severity: .problem, check: "broker", detail: fault.description)
        }
        return findings
    }
    #else
    static func all(about file: String) async throws -> [Finding] {
        throw CommandFailure.noService
    }
    #endif
}
#endif
