#if CLI
import ArgumentParser
import EntitlementKeys

/// The private key that a command signs with.
struct SigningKeyOptions: ParsableArguments {
    @Option(
        name: .long, help: "Your private key: a file with one, PEM, DER or PKCS#12, encrypted or not.",
        completion: .file())
    var key: String?

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
    var allowWeakKeys = false

    /// Refuses a command line without a key; not in `validate`, since some commands list things without one.
    func requireKey() throws {
        guard key != nil else { throw ValidationError("Give --key FILE.") }
    }

    func read(_ form: OutputForm) throws -> SigningKey {
        let file = key ?? ""
        let opener = try password.read(form)
        return try opener.open(form, mayAllowWeakKeys: true) { password throws(KeyError) in
            try SigningKey(contentsOfFile: file, password: password, allowingWeakKeys: allowWeakKeys)
        }
    }
}
#endif
