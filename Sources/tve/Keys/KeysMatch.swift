#if CLI
import TextCodecs
import ArgumentParser
import EntitlementKeys
import EntitlementValues

struct KeysMatch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Tell whether a certificate (or public key) and a private key belong together.",
        discussion: """
            Examples:
              tve keys match cert.pem key.pem
              tve keys match cert.pem key.p12 --password-file secret.txt

            Of a chain, one certificate must be the key's.

            Exit codes: 0 they do; 1 they do not; 66 no such file; 78 a file that cannot be used for it.
            """
    )

    @Argument(help: "The certificate, a chain of them, or a public key.", completion: .file())
    var certificate: String

    @Argument(help: "The private key.", completion: .file())
    var key: String

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: "How to show it: text or json.")
    var output = OutputForm.text

    func run() throws {
        let opener = try password.read(output)
        let match: KeyMatch
        do throws(KeyError) {
            match = try KeyMatch(certificate: certificate, key: key, opener)
        } catch {
            throw Console.fail(error, output)
        }
        switch output {
        case .text:
            let shown = (match.certificates + match.keys).map { entry in
                (entry.label, "\(entry.summary), \(entry.fingerprint ?? "")")
            }
            try Console.write("\(match.isMatch ? "they belong together" : "different keys")\n" + aligned(shown))
        case .json:
            var object = JSONWriter()
            object.member("match", match.isMatch)
            object.member("certificates", match.certificates.map(\.matchObject))
            object.member("keys", match.keys.map(\.matchObject))
            try Console.write(object.finished + [UInt8(ascii: "\n")], .json)
        }
        if !match.isMatch { throw ExitCode(1) }
    }
}

/// The certificates of one file beside the private keys of another.
struct KeyMatch {
    let certificates: [KeyInventory.Entry]
    let keys: [KeyInventory.Entry]

    /// Whether one of the certificates is about one of the keys.
    var isMatch: Bool {
        let fingerprints = Set(keys.compactMap(\.fingerprint))
        return certificates.contains { $0.fingerprint.map(fingerprints.contains) ?? false }
    }

    init(certificate: String, key: String, _ opener: KeyOpener) throws(KeyError) {
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
