package import HostSystem

/// The reason why a key or certificate was refused, with the file it came from.
///
/// No case carries key material or a password.
@nonexhaustive
public enum KeyError: Error, Sendable, Hashable {
    /// The file or folder does not exist. A text that cannot be its name, such as the key itself, is `(not shown)` here.
    case noSuchFile(file: String)
    /// The file cannot be read, is damaged, or has none of the known formats.
    case unreadable(file: String, reason: String)
    /// The file is well-formed but cannot be used: another algorithm, a private key instead of a public one, or the
    /// reverse.
    case unsupported(file: String, found: String, advice: String)
    /// The modulus is shorter than allowed.
    case tooSmall(file: String, bits: Int, minimum: Int)
    /// The modulus is longer than 8192 bits.
    case tooLarge(file: String, bits: Int)
    /// The public exponent is even, 1, or longer than 32 bits.
    case weakExponent(file: String)
    /// The key is encrypted, or its container needs a password, and none was given.
    case passwordRequired(file: String, format: String)
    /// The password is wrong, or the file is damaged in a way that looks like it.
    case badPassword(file: String, format: String)
    /// The file is encrypted with an algorithm that OpenSSL keeps in its legacy provider, which is not installed.
    ///
    /// Whether the password is right is not known yet.
    case needsLegacyProvider(file: String, format: String, provider: String)
    /// The file or folder was read, and holds no key; or no file was given.
    case noKey(file: String, reason: String)

    /// libcrypto could not tell, since memory ran out; the file may be as good as ever.
    case undecided(file: String, reason: String)

    /// The stable name of the error, for programs and searches in logs.
    public var code: String {
        switch self {
        case .noSuchFile: "no_such_file"
        case .unreadable: "unreadable_key"
        case .unsupported: "unsupported_key"
        case .tooSmall: "key_too_small"
        case .tooLarge: "key_too_large"
        case .weakExponent: "weak_exponent"
        case .passwordRequired: "password_required"
        case .badPassword: "bad_password"
        case .needsLegacyProvider: "needs_legacy_provider"
        case .noKey: "no_key"
        case .undecided: "internal"
        }
    }

    /// The file, or the name that the caller gave to a key in memory.
    public var file: String {
        switch self {
        case .noSuchFile(let file), .unreadable(let file, _), .unsupported(let file, _, _),
            .tooSmall(let file, _, _), .tooLarge(let file, _), .weakExponent(let file), .noKey(let file, _),
            .passwordRequired(let file, _), .badPassword(let file, _), .needsLegacyProvider(let file, _, _),
            .undecided(let file, _):
            file
        }
    }
}

extension KeyError {
    /// A file that could not be read; what its path is called in the error, `Files.shown(_:)` says.
    ///
    /// `what` stands before the reason if the file is there.
    package init(_ failure: FileFailure, reading path: String, as what: String = "") {
        let file = Files.shown(path)
        self = failure.isMissing ? .noSuchFile(file: file) : .unreadable(file: file, reason: what + failure.reason)
    }
}

extension KeyError: CustomStringConvertible {
    /// What happened, to which file, and what to do.
    public var description: String {
        switch self {
        case .noSuchFile(let file):
            "\(file): \(file == Files.notShown ? Files.notName : "no such file or folder")"
        case .unreadable(let file, let reason):
            "\(file): \(reason)"
        case .unsupported(let file, let found, let advice):
            "\(file): \(found); \(advice)"
        case .tooSmall(let file, let bits, let minimum):
            "\(file): an RSA key of \(bits) bits; at least \(minimum) are needed here"
        case .tooLarge(let file, let bits):
            "\(file): an RSA key of \(bits) bits; at most 8192 are accepted"
        case .weakExponent(let file):
            "\(file): an RSA key whose public exponent is even, 1, or longer than 32 bits; ask its owner for a new one"
        case .passwordRequired(let file, let format):
            "\(file): \(format); give its password"
        case .badPassword(let file, let format):
            "\(file): \(format): the password is wrong (or the file is damaged)"
        case .needsLegacyProvider(let file, let format, let provider):
            """
            \(file): \(format), needs OpenSSL's legacy provider, and \(provider) cannot be loaded; install it \
            (Debian 13: openssl-provider-legacy), or convert the file where it is installed: openssl pkcs12 -legacy \
            -in FILE -out PEM and openssl pkcs12 -export -in PEM -out NEW (a key alone: openssl pkey \
            -provider legacy -provider default -in FILE -aes256 -out NEW)
            """
        case .noKey(let file, let reason), .undecided(let file, let reason):
            "\(file): \(reason)"
        }
    }
}
