#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import RequestorSigning

struct SignServiceToken: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "service-token",
        abstract: "Sign a service token: a JSON Web Token with RS256.",
        discussion: """
            Examples:
              tve sign service-token --key programmer.key --key-id 2026-01 \\
                  --issuer programmer --subject REF30 --audience broker \\
                  --lifetime 300
              tve sign service-token --key programmer.key --key-id 2026-01 \\
                  --issuer programmer --subject REF30 --audience broker \\
                  --lifetime 300 --claim env=staging --claim 'level:=2'

            tve inspect shows what is in a token.

            Exit codes: 0 signed; 64 usage, or a text that cannot be signed; 66 no such key file; 69 OpenSSL failed; \
            74 output failed; 78 bad key.
            """
    )

    @OptionGroup var signing: SigningKeyOptions

    @Option(name: .long, help: ArgumentHelp("The name by which the receiver knows the key (kid).", valueName: "id"))
    var keyID: String

    @Option(name: .long, help: ArgumentHelp("The maker of the token (iss).", valueName: "name"))
    var issuer: String

    @Option(name: .long, help: ArgumentHelp("The subject of the token (sub).", valueName: "id"))
    var subject: String

    @Option(name: .long, help: ArgumentHelp("The receiver of the token (aud); may be repeated.", valueName: "name"))
    var audience: [String]

    @Option(
        name: .long,
        help: ArgumentHelp("Seconds until the token expires, 1 to 31622400 (366 days).", valueName: "seconds"))
    var lifetime: Int64

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Another claim, as name=text or name:=JSON; may be repeated. Not for secrets: other users can see it.",
            valueName: "name=text|name:=json"))
    var claim: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Sign as of this time: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(name: .long, help: ArgumentHelp("The ID of the token (jti; default: a random UUID).", valueName: "id"))
    var tokenID: String?

    @Option(name: .long, help: ArgumentHelp("How to show the token and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        try signing.requireKey()
    }

    func run() throws {
        try CommandFailure.refuseRepaired([keyID, issuer, subject, tokenID ?? ""] + audience + claim)
        let claims = ServiceTokenClaims(
            issuer: issuer, subject: subject, audience: audience, lifetime: .seconds(lifetime),
            extra: JSON.Object(try claim.map(member)))
        let key = try signing.read()
        let token = try ServiceTokenSigner(key: key, keyID: keyID).sign(claims, at: at ?? .now, tokenID: tokenID)
        try Console.write(signed: token, as: "token", key: key.label, in: output)
    }

    /// Reads `name=text` or `name:=JSON`; what it throws may show the name but never the value.
    private func member(_ argument: String) throws(CommandFailure) -> JSON.Member {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0] != ":" else {
            throw .usage("--claim takes name=text or name:=JSON")
        }
        let text = String(parts[1])
        guard parts[0].utf8.last == UInt8(ascii: ":") else {
            return JSON.Member(name: String(parts[0]), value: .string(text))
        }
        let name = String(parts[0].dropLast())
        guard let value = JSON(json: text) else {
            throw .usage("--claim \(name): the value after := is not JSON; use name=text for a string")
        }
        return JSON.Member(name: name, value: value)
    }
}
#endif
