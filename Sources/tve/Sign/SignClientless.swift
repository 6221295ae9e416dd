#if CLI
import HostSystem
import ArgumentParser
import EntitlementValues
import RequestorSigning

struct SignClientless: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clientless",
        abstract: "Sign a request of an old clientless application with HMAC-SHA1.",
        discussion: """
            Prints the value of the Authorization header. Services have moved on to access tokens; this is for \
            old binaries, migrations and archives.

            Examples:
              tve sign clientless --secret-file secret.txt --public-key "$PUBLIC" \\
                  --method GET --uri /api/v1/mediatoken --requestor REF30

            One line end at the end of the secret's file is no part of the secret.

            Exit codes: 0 signed; 64 usage or a text that is not signed; 66 no such secret file; 69 OpenSSL \
            failed; 74 output failed; 78 bad secret.
            """
    )

    @Option(name: .long, help: "A file with the secret that the server knows too.", completion: .file())
    var secretFile: String

    @Option(name: .long, help: "Names the secret to the server.")
    var publicKey: String

    @Option(name: .long, help: "The HTTP method in capital letters.")
    var method: String

    @Option(name: .long, help: "What is asked for: the full path, without the query.")
    var uri: String

    @Option(name: .long, help: "The requestor.")
    var requestor: String

    @Option(
        name: .long, help: "When it is asked: RFC 3339 or epoch milliseconds (default: now).",
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(name: .long, help: "Makes the request unlike every other (default: a random UUID).")
    var nonce: String?

    @Option(name: .long, help: "How to show the header and failures: text or json.")
    var output = OutputForm.text

    func run() throws {
        let secret = try readSecret()
        let request = ClientlessRequest(method: method, requestor: RequestorID(requestor), uri: uri)
        let header: String
        do throws(RequestorSigningError) {
            header = try ClientlessRequestSigner(secret: secret, publicKey: publicKey)
                .authorization(for: request, at: at ?? .now, nonce: nonce)
        } catch {
            throw Console.fail(error, output)
        }
        let label = secretFile.split(separator: "/").last.map(String.init) ?? secretFile
        try Console.write(signed: header, as: "authorization", key: label, output)
    }

    private func readSecret() throws -> ClientlessSecret {
        do throws(RequestorSigningError) {
            return try ClientlessSecret(contentsOfFile: secretFile)
        } catch {
            // A name that leads nowhere is not shown: the secret itself may stand there.
            guard Files.exists(secretFile) else {
                throw Console.fail(
                    error.code, file: nil,
                    "--secret-file: there is no such file (its name is not shown, in case it "
                        + "is the secret; that goes into a file)", output, .noInput)
            }
            let detail = if case .unreadableSecret = error { error.description } else { "\(secretFile): \(error)" }
            throw Console.fail(error.code, file: secretFile, detail, output, .badConfiguration)
        }
    }
}
#endif
