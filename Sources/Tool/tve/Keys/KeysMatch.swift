#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import TextCodecs

struct KeysMatch: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Check whether a certificate (or public key) and a private key belong together.",
        discussion: """
            Examples:
              tve keys match cert.pem key.pem
              tve keys match cert.pem key.p12 --password-file secret.txt

            In a chain, one of the certificates must belong to the key.

            Exit codes: 0 they belong together; 1 they do not; 64 usage; 66 no such file; 78 a file cannot be used.
            """
    )

    @Argument(help: "The certificate, a chain of them, or a public key.", completion: .file())
    var certificate: String

    @Argument(help: "The private key.", completion: .file())
    var key: String

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        let opener = try password.read()
        let match = try KeyMatch(certificate: certificate, key: key, opener: opener)
        let lines = (match.certificates + match.keys).map { entry in
            (entry.label, "\(entry.summary), \(entry.fingerprint ?? "")")
        }
        let heading = match.isMatch ? "they belong together\n" : "different keys\n"
        try Console.show(heading + aligned(lines), in: output) { object in
            object.member("match", match.isMatch)
            object.member("certificates", match.certificates.map(\.matchObject))
            object.member("keys", match.keys.map(\.matchObject))
        }
        if !match.isMatch { throw ExitCode(1) }
    }
}

/// The certificates of one file, and the private keys of another.
struct KeyMatch {
    let certificates: [KeyInventory.Entry]
    let keys: [KeyInventory.Entry]

    /// Whether one of the certificates belongs to one of the keys.
    var isMatch: Bool {
        let fingerprints = Set(keys.compactMap(\.fingerprint))
        return certificates.contains { $0.fingerprint.map(fingerprints.contains) ?? false }
    }

    /// Reads both files: one with certificates or public keys, and one with private keys.
    ///
    /// Throws if one of them cannot be read, or holds something else.
    init(certificate: String, key: String, opener: KeyOpener) throws(KeyError) {
        let entries = try opener.inventory(certificate, needsPrivateKeys: false).entries
        let found = entries.filter { $0.kind == .certificate }
        certificates = found.isEmpty ? entries.filter { $0.kind == .publicKey } : found
        guard !certificates.isEmpty else {
            throw .unsupported(
                file: certificate, found: "no certificate, only a private key",
                advice: "give the certificate first, and then the private key")
        }
        keys = try opener.inventory(key, needsPrivateKeys: true).entries.filter { $0.kind == .privateKey }
        guard !keys.isEmpty else {
            throw .unsupported(
                file: key, found: "no private key", advice: "give the certificate first, and then the private key")
        }
        if let problem = (certificates + keys).lazy.compactMap(\.problem).first { throw problem }
    }
}

extension KeyInventory.Entry {
    fileprivate var matchObject: JSONWriter {
        var object = JSONWriter()
        object.member("label", label)
        object.member("kind", kind.rawValue)
        if let bits { object.member("bits", bits) }
        if let fingerprint { object.member("fingerprint", fingerprint) }
        return object
    }
}
#endif
