#if CLI
import ArgumentParser
#if Service
import Logging
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

            Settings are read from the file, from environment variables such as TVE_PUBLIC_PORT, and from --set; \
            --set wins over variables, and variables win over the file. On SIGHUP, or when a file has changed, keys \
            and rules are read again; if anything is wrong with them, the old ones stay in use. On SIGTERM the \
            service finishes the requests that are running, and ends.

            Exit codes: 0 stopped by a signal, or --check found nothing; 64 usage, or tve was built without the trait \
            Service; 69 a listener could not be opened; 78 bad configuration, key or store.
            """
    )

    @Option(name: .long, help: "The configuration file, in JSON.", completion: .file())
    var config: String?

    @Flag(
        name: .long,
        help: "Report everything that is wrong with configuration, keys and store, and exit. Redis is not contacted.")
    var check = false

    @Option(name: .customLong("set"), help: "Set one setting, as NAME=VALUE. May be repeated.")
    var settings: [String] = []

    @Option(name: .long, help: "The form of errors: text or json.")
    var output = OutputForm.text

    #if Service
    func validate() throws {
        guard settings.allSatisfy({ $0.contains("=") }) else {
            throw ValidationError("--set takes NAME=VALUE.")
        }
    }

    func run() throws { try awaiting { [self] in try await serve() } }

    private func serve() async throws {
        defer { JSONLogHandler.flush() }
        let overrides = settings.map { text in
            let name = text.prefix { $0 != "=" }
            return (name: String(name), value: String(text.dropFirst(name.count + 1)))
        }
        let source = SettingsSource(file: config, overrides: overrides)
        let settings: ServiceSettings
        let service: VerificationService
        var logger = Logger(label: "tve") { _ in JSONLogHandler() }
        do throws(ServiceSettingsError) {
            settings = try await source.read()
            logger.logLevel = settings.logLevel
            service = try VerificationService(settings, from: source, logger: logger)
        } catch {
            for fault in error.faults {
                let failure = CommandFailure(
                    fault.code, "\(fault.setting): \(fault.detail)", exitCode: .badConfiguration)
                Console.report(failure, as: output)
            }
            throw ExitCode.badConfiguration
        }
        if check {
            try Console.write(
                settings.storeIsServer
                    ? "nothing is wrong with configuration and keys; the server of store.address was not contacted\n"
                    : "nothing is wrong with configuration, keys and store\n")
            return
        }
        do {
            try await service.runUntilSignalled(logger: logger)
        } catch {
            throw CommandFailure("io", "a listener could not be opened: \(error)", exitCode: .undecided)
        }
    }
    #else
    func run() throws {
        throw CommandFailure(
            "no_service", "tve was built without the trait Service; build it with: swift build --traits CLI,Service",
            exitCode: .usage)
    }
    #endif
}
#endif
