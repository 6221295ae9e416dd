#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import OpenSSLBridge
import TextCodecs

struct KeysConvert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write the public keys of any key file as PEM, or its private keys as PKCS#8.",
        discussion: """
            Examples:
              tve keys convert store.jks --password-file secret.txt \\
                  --out issuer.pem
              tve keys convert chain.p7b --out issuer.pem
              tve keys convert old.p12 --password-file old.txt \\
                  --private --new-password-file new.txt --out key.pem

            The keys of a chain's authorities are left out: a verifier that uses the result must not trust them. \
            Private keys are encrypted (PBES2, AES-256) unless --unencrypted is given. --out makes the file when \
            everything is well (a shell's > leaves an empty one if something is not), and never overwrites one. Private \
            keys go to files and pipes (--out -), and never to a terminal.

            Exit codes: 0 done; 64 usage; 66 no such file; 74 output failed, or its file exists; 78 bad key.
            """
    )

    @Argument(help: "The key file.", completion: .file())
    var file: String

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Write private keys.")
    var `private` = false

    @OptionGroup var newPassword: NewPasswordOptions

    @Option(
        name: .long, help: ArgumentHelp("A new file to write to (default: standard output).", valueName: "file"),
        completion: .file())
    var out: String?

    func validate() throws {
        guard `private` || (newPassword.newPasswordFile == nil && !newPassword.unencrypted) else {
            throw ValidationError("--new-password-file and --unencrypted go with --private.")
        }
        guard !newPassword.unencrypted || out != nil else {
            throw ValidationError("With --unencrypted, give --out FILE, or --out - for a pipe.")
        }
    }

    func run() throws {
        if let path { try NewFile.refuseExisting([path]) }
        if `private`, path == nil, StandardStreams.outputIsTerminal {
            // Encrypted or not: what a terminal has shown stays in its history, and in logs of the session.
            throw CommandFailure.usage(
                "a private key is not written to a terminal; give --out FILE, or pass it on through a pipe")
        }
        let opener = try password.read()
        if `private` {
            try write(try privateKeys(opener), isPrivate: true)
        } else {
            let text = try opener.open(publicKeys)
            try write(text.withBytes { WipedBytes($0) }, isPrivate: false)
        }
    }

    /// The file to write to; `nil` for standard output.
    private var path: String? { out == "-" ? nil : out }

    private func publicKeys(_ password: KeyPassword?) throws(KeyError) -> String {
        let entries = try KeyInventory(contentsOfFile: file, password: password).entries
        if entries.contains(where: { $0.kind == .certificate || $0.kind == .publicKey }) {
            return try VerificationKeys(contentsOfFile: file, password: password).keys.map(\.publicKeyPEM).joined()
        }
        var texts: [String] = []
        for entry in entries {
            if let problem = entry.problem { throw problem }
            guard let text = entry.publicKeyPEM else {
                throw .passwordRequired(file: file, format: entry.format)
            }
            if !texts.contains(text) { texts.append(text) }
        }
        return texts.joined()
    }

    private func privateKeys(_ opener: KeyOpener) throws -> WipedBytes {
        // Converting a weak key is harmless; the commands that use it decide whether they accept it.
        let keys = try opener.open { password throws(KeyError) in
            try KeyMaterial.all(inFile: file, password: password, allowingWeakKeys: true)
        }
        let password = try newPassword.read()
        return WipedBytes(joining: try keys.map { try $0.pem(under: password) })
    }

    private func write(_ content: WipedBytes, isPrivate: Bool) throws {
        if let path {
            try NewFile(path: path, content: content, isPrivate: isPrivate).write()
        } else {
            try Console.write(content)
        }
    }
}

extension KeyMaterial {
    /// PKCS#8 in PEM, encrypted if there is a password.
    func pem(under password: KeyPassword?) throws(KeyError) -> WipedBytes {
        if let password { return try encryptedPEM(password: password) }
        return try unencryptedPEM()
    }
}
#endif
