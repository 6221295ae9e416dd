#if CLI
import ArgumentParser
import EntitlementValues
import HostSystem
import RequestorSigning

struct SignClientless: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "clientless",
        abstract: "Sign a request of an old clientless application with HMAC-SHA1.",
        discussion: """
            Examples:
              tve sign clientless --secret-file secret.txt --public-key "$PUBLIC" \\
                  --method GET --uri /api/v1/mediatoken --requestor REF30

            Prints the value of the Authorization header. Current services use access tokens; this is for old \
            binaries, migrations and archives. A line end at the end of the secret's file is not part of the secret.

            Exit codes: 0 signed; 64 usage or a text that is not signed; 66 no such secret file; 69 OpenSSL \
            failed; 74 output failed; 78 bad secret.
            """
    )

    @Option(
        name: .long, help: ArgumentHelp("A file with the secret shared with the server.", valueName: "file"),
        completion: .file())
    var secretFile: String

    @Option(name: .long, help: ArgumentHelp("The public name of the secret.", valueName: "name"))
    var publicKey: String

    @Option(name: .long, help: ArgumentHelp("The HTTP method in capital letters.", valueName: "method"))
    var method: String

    @Option(name: .long, help: ArgumentHelp("The full path of the request, without the query.", valueName: "path"))
    var uri: String

    @Option(name: .long, help: ArgumentHelp("The requestor.", valueName: "id"))
    var requestor: String

    @Option(
        name: .long,
        help: ArgumentHelp("Time of the request: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(
        name: .long,
        help: ArgumentHelp("A value that no other request has (default: a random UUID).", valueName: "text"))
    var nonce: String?

    @Option(name: .long, help: ArgumentHelp("How to show the header and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        // The server signs the path that it sees, so another text gives a signature that it refuses.
        guard uri.hasPrefix("/"), !uri.hasPrefix("//"), !uri.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw ValidationError(
                "--uri takes the path alone, without scheme, host, query and fragment: /api/v1/mediatoken, for example."
            )
        }
    }

    func run() throws {
        let secret = try readSecret()
        let request = ClientlessRequest(method: method, requestor: RequestorID(requestor), uri: uri)
        let header = try ClientlessRequestSigner(secret: secret, publicKey: publicKey)
            .authorization(for: request, at: at ?? .now, nonce: nonce)
        let label = secretFile.split(separator: "/").last.map(String.init) ?? secretFile
        try Console.write(signed: header, as: "authorization", key: label, in: output)
    }

    private func readSecret() throws -> ClientlessSecret {
        guard Files.exists(secretFile) else { throw CommandFailure(missing: "secret", option: "--secret-file") }
        return try concerning(secretFile, file: secretFile, exitCode: .badConfiguration) {
            try ClientlessSecret(contentsOfFile: secretFile)
        }
    }
}
#endif
