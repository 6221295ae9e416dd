#if CLI
import ArgumentParser
import EntitlementKeys
import TextCodecs

struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign requestor IDs, service tokens and clientless requests.",
        subcommands: [SignRequestorID.self, SignCheck.self, SignServiceToken.self, SignClientless.self]
    )
}

extension Console {
    /// Writes what was signed, alone on its line or as an object with the name of the key's file.
    ///
    /// `text` is the signature, token or header; `name`, the name of the member that holds it; `key`, the name of the
    /// key's file. Throws as ``write(_:)-([UInt8])`` does.
    static func write(signed text: String, as name: String, key: String, in form: OutputForm) throws {
        // The line-wrapped form ends with a line end of its own.
        try show(text.utf8.last == UInt8(ascii: "\n") ? text : "\(text)\n", in: form) { object in
            object.member(name, text)
            object.member("key", key)
        }
    }
}

extension CommandFailure {
    /// Refuses texts that contain U+FFFD, which replaces bytes that are not UTF-8: signing it would sign something other
    /// than the argument.
    static func refuseRepaired(_ texts: [String]) throws(CommandFailure) {
        guard texts.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return }
        throw CommandFailure(
            "unsuitable_text", "an argument is not UTF-8 (or holds U+FFFD); nothing was signed", exitCode: .usage)
    }
}

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

    /// Reads the key; throws `CommandFailure` if it cannot be read or used for signing.
    func read() throws -> SigningKey {
        let file = key ?? ""
        let opener = try password.read()
        return try opener.openOfferingWeakKeys(of: "--key") { password throws(KeyError) in
            try SigningKey(contentsOfFile: file, password: password, allowingWeakKeys: allowWeakKeys)
        }
    }
}
#endif
