#if CLI
import ArgumentParser
import EntitlementValues
import TextCodecs

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
        switch output {
        case .text: try Console.write(findings.map(\.line).joined())
        case .json:
            var object = JSONWriter()
            object.member("healthy", isHealthy)
            object.member("findings", findings.map(\.object))
            try Console.write(object)
        }
        if !isHealthy { throw ExitCode.badConfiguration }
    }
}
#endif
