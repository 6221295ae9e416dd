#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import TextCodecs

struct KeysGenerate: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate an RSA key, with a certificate request or a self-signed certificate.",
        discussion: """
            Examples:
              tve keys generate --out key.pem --new-password-file secret.txt \\
                  --request request.csr --common-name programmer.example
              tve keys generate --out key.pem --unencrypted \\
                  --certificate cert.pem --days 365 --common-name test

            Send the request to the authority, or the certificate to those who verify or encrypt; keep the key. It is \
            encrypted (PBES2, AES-256) unless --unencrypted is given, and only its owner can read the file. An existing \
            file is never overwritten.

            Exit codes: 0 done; 64 usage; 66 no such password file; 74 output failed, or a file exists; 78 bad \
            password file.
            """
    )

    /// The sizes offered: smaller keys are weak, and larger ones needlessly slow.
    enum Bits: String, ExpressibleByArgument, CaseIterable {
        case bits2048 = "2048"
        case bits3072 = "3072"
        case bits4096 = "4096"

        var number: Int {
            switch self {
            case .bits2048: 2048
            case .bits3072: 3072
            case .bits4096: 4096
            }
        }
    }

    @Option(
        name: .long, help: ArgumentHelp("The new file for the private key.", valueName: "file"), completion: .file())
    var out: String

    @Option(name: .long, help: ArgumentHelp("Length of the key: 2048, 3072 or 4096.", valueName: "bits"))
    var bits = Bits.bits2048

    @OptionGroup var newPassword: NewPasswordOptions

    @Option(
        name: .long, help: ArgumentHelp("A new file for a certificate request (PKCS#10).", valueName: "file"),
        completion: .file())
    var request: String?

    @Option(
        name: .long, help: ArgumentHelp("A new file for a self-signed certificate.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Days for which the certificate is valid, 1 to 36500 (default: 365).", valueName: "n"))
    var days: Int64?

    @Option(
        name: .long,
        help: ArgumentHelp("The name in the request and the certificate (CN), 1 to 64 characters.", valueName: "name"))
    var commonName: String?

    @Option(name: .long, help: ArgumentHelp("The organization in them (O), 1 to 64 characters.", valueName: "name"))
    var organization: String?

    @Option(name: .long, help: ArgumentHelp("The country in them (C), two capital letters.", valueName: "code"))
    var country: String?

    @Option(name: .long, help: ArgumentHelp("How to show what was made: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        let isNamed = commonName != nil || organization != nil || country != nil
        guard request != nil || certificate != nil || !isNamed else {
            throw ValidationError("Names go into a --request or a --certificate.")
        }
        guard commonName != nil || (request == nil && certificate == nil) else {
            throw ValidationError("Give --common-name NAME for the request or the certificate.")
        }
        for (option, value) in [("common-name", commonName), ("organization", organization)] {
            guard let value else { continue }
            guard 1...64 ~= value.unicodeScalars.count, value.printable == value else {
                throw ValidationError("--\(option) takes 1 to 64 printing characters.")
            }
        }
        if let country {
            guard country.utf8.count == 2, country.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
            else { throw ValidationError("--country takes two capital letters.") }
        }
        guard days == nil || certificate != nil else { throw ValidationError("--days goes with --certificate.") }
        guard 1...36_500 ~= days ?? 365 else { throw ValidationError("--days takes 1 to 36500.") }
        guard Set(paths).count == paths.count else { throw ValidationError("Give each file a different name.") }
    }

    private var paths: [String] { [out, request, certificate].compactMap(\.self) }

    func run() throws {
        // Checked first: without its certificate or request, the key would be useless.
        try NewFile.refuseExisting(paths)
        let password = try newPassword.read()
        let key = try KeyMaterial.generated(bits: bits.number, named: out)
        var files = [NewFile(path: out, content: try key.pem(under: password), isPrivate: true)]
        let subject = CertificateSubject(commonName: commonName ?? "", organization: organization, country: country)
        if let request {
            files.append(NewFile(request, holding: try key.certificateRequestPEM(subject: subject)))
        }
        if let certificate {
            let now = Timestamp.now
            let validity = now...(now + .hours(24 * (days ?? 365)))
            let text = try key.selfSignedCertificatePEM(subject: subject, validity: validity)
            files.append(NewFile(certificate, holding: text))
        }
        try NewFile.writeAll(files)
        var lines = [("private key", password == nil ? "\(out), not encrypted" : "\(out), encrypted")]
        if let request { lines.append(("request", request)) }
        if let certificate { lines.append(("certificate", certificate)) }
        lines.append(("fingerprint", key.fingerprint))
        try Console.show("RSA \(key.bits)\n" + aligned(lines), in: output) { object in
            object.member("key", out)
            object.member("encrypted", password != nil)
            if let request { object.member("request", request) }
            if let certificate { object.member("certificate", certificate) }
            object.member("bits", key.bits)
            object.member("fingerprint", key.fingerprint)
        }
    }
}
#endif
