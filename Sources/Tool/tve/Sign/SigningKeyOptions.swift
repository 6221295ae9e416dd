#if CLI
import ArgumentParser
import EntitlementKeys

/// The private key that a command signs with.
struct SigningKeyOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Your private key: a file with one, PEM, DER or PKCS#12, encrypted or not.", valueName: "file"),
        completion: .file())
    var key: String?

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
    var allowWeakKeys = false

    /// Refuses a command line without a key; not part of `validate`, since `--list-faults` needs none.
    func requireKey() throws {
        guard key != nil else { throw ValidationError("Give --key FILE.") }
    }

    /// Reads the key; throws `CommandFailure` or `KeyError` if it cannot be read or used for signing.
    func read() throws -> SigningKey {
        let file = key ?? ""
        let opener = try password.read()
        return try opener.openOfferingWeakKeys { password throws(KeyError) in
            try SigningKey(contentsOfFile: file, password: password, allowingWeakKeys: allowWeakKeys)
        }
    }
}
#endif
