#if CLI
import ArgumentParser
#if Service
import HostSystem
import Logging
import OpenSSLBridge
import TVEService
#endif

struct Serve: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Verify media tokens over HTTP, for proxies and applications.",
        discussion: """
            Examples:
              tve serve --config serve.json --check
              tve serve --config serve.json
              tve serve --config serve.json --set public.port=9000
              tve serve --config serve.json --health

            Settings are read from the file, from environment variables such as TVE_PUBLIC_PORT, and from --set; \
            --set wins over variables, and variables win over the file. On SIGHUP, or when a file has changed, keys \
            and rules are read again; if anything is wrong with them, the old ones stay in use, but for keys that are \
            revoked, whose files are gone or changed, or that the settings name no longer, if all files that \
            they do name can be read. On SIGTERM the service finishes the requests that are running, and ends.

            With a section broker the service is also a gateway for apps; --check then asks the broker whether the \
            domains and addresses of the apps are those of their requestors. HTTPS_PROXY (or ALL_PROXY) names a proxy on \
            the way to the broker, and NO_PROXY the hosts that are reached without it.

            Under a unit of systemd with Type=notify, systemd is told when the service is ready, reloads and stops; with \
            WatchdogSec it also hears that the service is not stuck.

            Exit codes: 0 stopped by a signal, --check found nothing, or the service is alive; 64 usage, or tve was built \
            without the trait Service; 69 a listener could not be opened, the broker did not answer --check, or the \
            service did not answer --health; 78 bad configuration, key or store.
            """
    )

    @Option(name: .long, help: ArgumentHelp("The configuration file, in JSON.", valueName: "file"), completion: .file())
    var config: String?

    @Flag(
        name: .long,
        help: """
            Report everything that is wrong with configuration, keys and store, and exit. Redis is not contacted; \
            tve doctor --config asks it.
            """)
    var check = false

    @Flag(
        name: .long,
        help: "Ask the service that runs here with these settings whether it is alive, and exit; for containers.")
    var health = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set one setting, as NAME=VALUE. May be repeated.", valueName: "NAME=VALUE"))
    var settings: [String] = []

    @Option(name: .long, help: ArgumentHelp("The form of errors: text or json.", valueName: "form"))
    var output = OutputForm.text

    #if Service
    func validate() throws {
        guard settings.allSatisfy({ $0.contains("=") }) else {
            throw ValidationError("--set takes NAME=VALUE.")
        }
        guard !(check && health) else { throw ValidationError("--check and --health exclude each other.") }
    }

    func run() throws {
        // Connections have threads of their own, which may be at work when the process ends.
        keepLibcryptoAtExit()
        ProcessUsage.raiseMaximumOpenFiles()
        try awaiting { [self] in try await serve() }
    }

    private func serve() async throws {
        defer { JSONLogHandler.flush() }
        let overrides = settings.map { text in
            let name = text.prefix { $0 != "=" }
            return (name: String(name), value: String(text.dropFirst(name.count + 1)))
        }
        let source = SettingsSource(file: config, overrides: overrides)
        let settings: ServiceSettings
        let service: VerificationService?
        var logger = Logger(label: "tve") { _ in JSONLogHandler() }
        do throws(ServiceSettingsError) {
            settings = try await source.read()
            logger.logLevel = settings.logLevel
            service = health ? nil : try VerificationService(settings, from: source, logger: logger)
        } catch {
            for fault in error.faults {
                let failure = CommandFailure(
                    fault.code, "\(fault.setting): \(fault.detail)", exitCode: .badConfiguration)
                Console.report(failure, as: output)
            }
            throw ExitCode.badConfiguration
        }
        guard let service else { return try await askHealth(settings) }
        if check { return try await report(settings, of: service) }
        do {
            try await service.runUntilSignalled(logger: logger)
        } catch {
            // From its start on, the service speaks in its log alone: what reads that may not read other lines.
            let detail = error is ListenerError ? "\(error)" : "a listener could not be opened: \(error)"
            logger.critical("not serving", metadata: ["code": "io", "detail": "\(detail)"])
            throw ExitCode.undecided
        }
    }

    private func askHealth(_ settings: ServiceSettings) async throws {
        if let fault = await settings.healthFault() {
            throw CommandFailure("unhealthy", fault, exitCode: .undecided)
        }
    }

    /// Says what `--check` has found, after the files were found good.
    private func report(_ settings: ServiceSettings, of service: VerificationService) async throws {
        let warnings = settings.warnings + settings.unresolvableHosts
        for warning in warnings {
            Console.note("\(warning.setting): \(warning.detail)", code: warning.code, as: output)
        }
        let findings = await service.checkBroker()
        for (fault, _) in findings {
            let failure = CommandFailure(fault.code, "\(fault.setting): \(fault.detail)", exitCode: .badConfiguration)
            Console.report(failure, as: output)
        }
        if !findings.isEmpty {
            throw findings.allSatisfy(\.isOpen) ? ExitCode.undecided : ExitCode.badConfiguration
        }
        let servers = settings.settingsOfServers.joined(separator: " and ")
        let scope = servers.isEmpty ? "configuration, keys and store" : "configuration and keys"
        let verdict =
            switch warnings.count {
            case 0: "nothing is wrong with \(scope)"
            case 1: "no fault in \(scope), and one warning"
            case let count: "no fault in \(scope), and \(count) warnings"
            }
        let advice = "tve doctor --config \(config ?? "FILE") asks it"
        try Console.write(
            servers.isEmpty
                ? "\(verdict)\n" : "\(verdict); the server of \(servers) was not contacted: \(advice)\n")
    }
    #else
    func run() throws {
        throw CommandFailure.noService
    }
    #endif
}
#endif
