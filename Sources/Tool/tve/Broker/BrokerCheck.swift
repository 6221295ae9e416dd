#if CLI
import ArgumentParser
#if Client
import BrokerClient
import TextCodecs
#endif

struct BrokerCheck: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check what could fail with the broker: statement, registration, addresses, device, partner flags.",
        discussion: """
            Examples:
              tve broker check --requestor REF30 --statement statement.jwt \\
                  --domain example.org --redirect https://example.org/done
              tve broker check --requestor REF30 --statement statement.jwt \\
                  --client-address 203.0.113.7 --device-info tv.json --partner

            One finding per line: ok, warning or problem, what was checked, and what to do. To see which address and \
            port arrive at the broker, it starts an authentication session without a provider, which ends by itself \
            after half an hour.

            Exit codes: 0 no problem; 23 throttled; 64 usage; 66 no such file; 69 no answer; 74 output failed; 78 \
            something would fail.
            """
    )

    @OptionGroup var options: BrokerOptions

    @Option(name: .long, help: ArgumentHelp("The domain that sessions will name.", valueName: "domain"))
    var domain: String?

    @Option(
        name: .customLong("redirect"),
        help: ArgumentHelp("An address that sign-ins will return to. May be repeated.", valueName: "url"))
    var redirects: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The port that --device-info or your proxy states as the device's, 1 to 65535.", valueName: "n"))
    var clientPort: Int64?

    @Flag(name: .long, help: "Expect providers that sign in through the device's partner.")
    var partner = false

    func validate() throws {
        guard clientPort.map({ 1...65_535 ~= $0 }) ?? true else {
            throw ValidationError("--client-port takes 1 to 65535.")
        }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        var check = BrokerExamination(conversation)
        check.checkStatement()
        check.checkDeviceInfo()
        if let credentials = try await check.registration(), let requestor = try await check.configuration() {
            check.checkDomains(of: requestor, domain: domain)
            check.checkRedirects(redirects, of: requestor, credentials)
            check.checkPartner(requestor, isExpected: partner)
            try await check.checkArrival(domain: domain, redirect: redirects.first, port: clientPort)
        }
        let isHealthy = !check.findings.contains { $0.severity == .problem }
        try Console.show(check.findings.map(\.line).joined(), in: output) { object in
            object.member("healthy", isHealthy)
            object.member("findings", check.findings.map(\.object))
        }
        if !isHealthy { throw ExitCode.badConfiguration }
    }
    #endif
}
#endif
