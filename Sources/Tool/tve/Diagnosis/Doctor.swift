#if CLI
import ArgumentParser
import EntitlementValues
import MediaTokens
import RedisStores
import TextCodecs
import TokenRedemption
#if Service
import Logging
import OpenSSLBridge
import TVEService
#endif

struct Doctor: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what could fail in production: keys, certificates, OpenSSL, the clock, the store.",
        discussion: """
            Examples:
              tve doctor --keys keys/
              tve doctor --key key.pem --certificate cert.pem \\
                  --password-file secret.txt --output json
              tve doctor --time "$(ssh other date -u +%FT%TZ)"
              tve doctor --config serve.json

            One finding per line: ok, warning or problem, what was checked, and what to do. An expired certificate in \
            --keys is a warning, since verification ignores its dates; in --certificate it is a problem. How OpenSSL \
            fails to decrypt is checked with --key only. A trusted key whose private half everybody has (a published \
            test key) or can calculate (a prime as modulus) is a problem. A key of tve simulate is a warning: its \
            certificate names simulator.invalid; a bare public key does not say whose it is. With --config, the settings \
            of tve serve are read as at its start, TVE_ variables included, and every store and the broker that they name \
            are asked; for that, each app registers once at the broker.

            Exit codes: 0 no problem; 64 usage; 66 no such password file; 78 something would fail.
            """
    )

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("Keys to verify with: files or folders.", valueName: "path"), completion: .file())
    var keys: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("A private key to sign or decrypt with.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        name: .long, help: ArgumentHelp("The certificate of that key, as others have it.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The configuration file of tve serve; what it names is asked.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Admit the keys of this software's test vectors, whose private halves are published.")
    var allowTestKeys = false

    @OptionGroup var password: PasswordOptions

    @OptionGroup var used: RedeemOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The time now by a clock you trust: RFC 3339 or epoch milliseconds.", valueName: "time"),
        transform: Timestamp.argument)
    var time: Timestamp?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Seconds by which the clocks may differ, 0 or more (default: 60, which verifiers tolerate).",
            valueName: "seconds"))
    var tolerance: Int64?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        guard tolerance == nil || time != nil else { throw ValidationError("--tolerance goes with --time.") }
        guard tolerance ?? 0 >= 0 else { throw ValidationError("--tolerance takes seconds, 0 or more.") }
    }

    func run() throws {
        // Taken before a prompt for a password, which may take a while: --time is compared with it.
        let now = Timestamp.now
        var examination = Examination(opener: try password.read(), now: now, allowsTestKeys: allowTestKeys)
        examination.checkOpenSSL()
        examination.checkClock(reference: time, tolerance: .seconds(tolerance ?? 60))
        if let file = password.file { examination.checkPasswordFile(file) }
        for path in keys { examination.checkTrusted(path) }
        if let key {
            examination.checkPrivate(key)
            examination.checkDecryption()
        }
        if let certificate { examination.checkCertificate(certificate) }
        if let key, let certificate { examination.checkMatch(certificate: certificate, key: key) }
        if let finding = try awaiting({ [used, output] in await used.examine(form: output) }) {
            examination.add(finding)
        }
        if let config {
            for finding in try awaiting({ try await Finding.all(about: config) }) { examination.add(finding) }
        }
        let findings = examination.findings
        let isHealthy = !findings.contains { $0.severity == .problem }
        try Console.show(findings.map(\.line).joined(), in: output) { object in
            object.member("healthy", isHealthy)
            object.member("findings", findings.map(\.object))
        }
        if !isHealthy { throw ExitCode.badConfiguration }
    }
}

extension RedeemOptions {
    /// Checks that the store answers, by asking it as a redemption would; `nil` if no store was named.
    ///
    /// `form` is how a store that cannot be opened is reported.
    func examine(form: OutputForm) async -> Finding? {
        guard redeem != nil else { return nil }
        do {
            guard let store = try open() else { return nil }
            let warnings = try await warnings(store)
            try await store.probe()
            if isInMemory {
                return Finding(
                    severity: .warning, check: "store", detail: "a store in memory ends with its process",
                    advice: "use sqlite:PATH for several processes, redis:// for several hosts")
            }
            guard warnings.isEmpty else {
                return Finding(severity: .warning, check: "store", detail: warnings.joined(separator: "; "))
            }
            return Finding(severity: .ok, check: "store", detail: "the store of used tokens redeems tokens")
        } catch {
            if let failure = error as? CommandFailure { Console.report(failure, as: form) }
            let reason = (error as? ReplayStoreError)?.description ?? "it cannot be opened (see above)"
            return Finding(
                severity: .problem, check: "store", detail: "the store of used tokens does not answer: \(reason)",
                advice: "until it does, every token is refused")
        }
    }

    private func warnings(_ store: any ReplayStore) async throws -> [String] {
        #if Redis
        if let redis = store as? RedisReplayStore {
            return try await redis.inspect().map(\.description).sorted()
        }
        #endif
        return []
    }
}

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
