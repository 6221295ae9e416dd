import TextCodecs
import EntitlementValues

/// Says why a value was not decrypted.
///
/// What can be seen without a key has a name. Everything that takes a key to find out is one case without content, so
/// that nobody learns from it what was wrong with the value: see <doc:DecryptingUserMetadata>.
@nonexhaustive
public enum MetadataDecryptionError: Error, Sendable, Hashable {
    /// The attribute is encrypted for another party, by another scheme. The value was not looked at.
    case foreignScheme(MetadataAttribute)
    /// The value is an encrypted JSON Web Token (five parts). No key was used.
    case isJWE
    /// The value is not Base64. No key was used.
    case notBase64
    /// The value is Base64 of a length that no key of the ring encrypts to. No key was used.
    case wrongLength(MetadataLength)
    /// No key of the ring reads the value.
    case undecryptable
    /// No decision could be made. Nothing is established.
    case undecided(MetadataUndecided)

    /// The stable name of the error: what programs and log searches should look at.
    public var code: String {
        switch self {
        case .foreignScheme: "foreign_scheme"
        case .isJWE: "is_jwe"
        case .notBase64: "not_base64"
        case .wrongLength: "wrong_length"
        case .undecryptable: "undecryptable"
        case .undecided: "internal"
        }
    }
}

/// The length of a value that is no whole number of blocks, or too many of them.
public struct MetadataLength: Sendable, Hashable {
    /// Bytes behind the Base64.
    public let bytes: Int
    /// Lengths of a block of the keys, ascending, each once.
    public let blockLengths: [Int]

    package init(bytes: Int, blockLengths: [Int]) {
        self.bytes = bytes
        self.blockLengths = blockLengths
    }
}

/// Says why no decision could be made.
@nonexhaustive
public enum MetadataUndecided: Sendable, Hashable {
    /// The ring is empty.
    case noKeys
    /// libcrypto failed, for example for want of memory; its own words, which hold no input.
    case backend(String)
}

extension MetadataDecryptionError: CustomStringConvertible {
    /// What happened and what to do, in one line, without anything of the value.
    public var description: String {
        switch self {
        case .foreignScheme(let attribute):
            "\(attribute.rawValue.printable) is encrypted by its provider for another party; ask for zip instead"
        case .isJWE:
            "an encrypted JSON Web Token (five parts), not a value of RSA blocks; ask the service what it sends"
        case .notBase64:
            "not Base64: damaged on its way, still percent-encoded, or not encrypted"
        case .wrongLength(let length):
            length.description
        case .undecryptable:
            "no key of the ring reads this value: is the private key of the certificate that the service uses among "
                + "them, and is the attribute the right one?"
        case .undecided(let reason):
            reason.description
        }
    }
}

extension MetadataLength: CustomStringConvertible {
    /// Both lengths, and what that means.
    public var description: String {
        if bytes == 0 { return "the value is empty" }
        let lengths = blockLengths.map { String($0) }.joined(separator: " or ")
        if blockLengths.contains(where: { bytes % $0 == 0 }) {
            return "\(bytes) bytes are more than \(MetadataDecrypter.maximumBlocks) blocks of \(lengths)"
        }
        return "\(bytes) bytes are no multiple of \(lengths), the block of the keys: encrypted for a key of another "
            + "size, or cut"
    }
}

extension MetadataUndecided: CustomStringConvertible {
    /// What is wrong on this side.
    public var description: String {
        switch self {
        case .noKeys: "there are no keys to decrypt with"
        case .backend(let words): "libcrypto could not do it (\(words)); try again"
        }
    }
}
