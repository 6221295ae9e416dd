#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import RequestorSigning

struct SignServiceToken: ParsableCommand {
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

            tve inspect - shows what is in it.

            Exit codes: 0 signed; 64 usage or a text that is not signed; 66 no such key file; 69 OpenSSL failed; \
            74 output failed; 78 bad key.
            """
    )

    @OptionGroup var signing: SigningKeyOptions

    @Option(name: .long, help: "Names the key to the receiver (kid).")
    var keyID: String

    @Option(name: .long, help: "Who makes the token (iss).")
    var issuer: String

    @Option(name: .long, help: "Whom or what it is about (sub).")
    var subject: String

    @Option(name: .long, help: "Whom it is meant for (aud); may be repeated.")
    var audience: [String]

    @Option(name: .long, help: "Seconds for which it is good.")
    var lifetime: Int64

    @Option(
        name: .long,
        help: "What else it says, as name=text or name:=JSON; may be repeated. No secrets: a command line is seen.")
    var claim: [String] = []

    @Option(
        name: .long, help: "Sign as of this time: RFC 3339 or epoch milliseconds (default: now).",
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(name: .long, help: "Names this one token (jti; default: a random UUID).")
    var tokenID: String?

    @Option(name: .long, help: "How to show the token and failures: text or json.")
    var output = OutputForm.text

    func validate() throws {
        try signing.requireKey()
    }

    func run() throws {
        try Console.refuseRepaired([keyID, issuer, subject, tokenID ?? ""] + audience + claim, output)
        let claims = ServiceTokenClaims(
            issuer: issuer, subject: subject, audience: audience, lifetime: .seconds(lifetime),
            extra: ClaimSet(try claim.map(member)))
        let key = try signing.read(output)
        let token: String
        do throws(RequestorSigningError) {
            token = try ServiceTokenSigner(key: key, keyID: keyID).sign(claims, at: at ?? .now, tokenID: tokenID)
        } catch {
            throw Console.fail(error, output)
        }
        try Console.write(signed: token, as: "token", key: key.label, output)
    }

    /// Reads `name=text` or `name:=JSON`; what it reports shows the name and never the value.
    private func member(_ argument: String) throws -> ClaimSet.Member {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0] != ":" else {
            throw Console.fail(
                "usage", file: nil, "--claim takes name=text or name:=JSON", output, .usage)
        }
        let text = String(parts[1])
        guard parts[0].utf8.last == UInt8(ascii: ":") else {
            return ClaimSet.Member(name: String(parts[0]), value: .string(text))
        }
        let name = String(parts[0].dropLast())
        // As the only member of an object, since that is what the reader takes.
        guard let object = try? ClaimSet(json: Array("{\"value\":\(text)}".utf8)), object.members.count == 1,
            let value = object["value"]
        else {
            throw Console.fail(
                "usage", file: nil, "--claim \(name): what stands behind := is not JSON; a text goes behind =",
                output, .usage)
        }
        return ClaimSet.Member(name: name, value: value)
    }
}
#endif
