public import EntitlementValues
import TextCodecs

/// Says why a value was not decrypted.
///
/// Faults that are visible without a key have cases of their own. Every failure that only a key can reveal is one case
/// without a payload, so that an attacker learns nothing about the padding from it: see <doc:DecryptingUserMetadata>.
@nonexhaustive
public enum MetadataDecryptionError: Error, Sendable, Hashable {
    /// The attribute is encrypted for another party, by another scheme. The value was not read.
    case foreignScheme(MetadataAttribute)
    /// The value is an encrypted JSON Web Token (five parts). No key was used.
    case isJWE
    /// The value is not Base64. No key was used.
    case notBase64
    /// The value has an encoding around its Base64, or in place of it; the code is that of `notBase64`. No key was used.
    case encoded(ForeignEncoding)
    /// The value's length fits no key of the ring, or is above the maximum. No key was used.
    case wrongLength(MetadataLength)
    /// No key of the ring decrypts the value to a plausible text.
    case undecryptable
    /// No decision could be made. Nothing is established.
    case undecided(MetadataUndecided)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .foreignScheme: "foreign_scheme"
        case .isJWE: "is_jwe"
        case .notBase64, .encoded: "not_base64"
        case .wrongLength: "wrong_length"
        case .undecryptable: "undecryptable"
        case .undecided: "internal"
        }
    }
}

/// The length of a value that is not a whole number of blocks, or has too many of them.
public struct MetadataLength: Sendable, Hashable {
    /// The number of encrypted bytes, after Base64 was decoded.
    public let bytes: Int
    /// The block lengths of the keys, in bytes, ascending, without repeats.
    public let blockLengths: [Int]
    /// What the value looks like that has such a length: an encoding that passes for Base64; `nil` if there is none.
    public let encoding: ForeignEncoding?

    package init(bytes: Int, blockLengths: [Int], encoding: ForeignEncoding? = nil) {
        self.bytes = bytes
        self.blockLengths = blockLengths
        self.encoding = encoding
    }
}

/// Says why no decision could be made.
@nonexhaustive
public enum MetadataUndecided: Sendable, Hashable {
    /// The ring is empty.
    case noKeys
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case backend(String)
}

extension MetadataDecryptionError: CustomStringConvertible {
    /// What happened and what to do, in one line, without any part of the value.
    public var description: String {
        switch self {
        case .foreignScheme(let attribute):
            "\(attribute.rawValue.printable) is encrypted by its provider for another party; ask for zip instead"
        case .isJWE:
            "an encrypted JSON Web Token (five parts), not a value of RSA blocks; ask the service what it sends"
        case .notBase64:
            "not Base64: the value was damaged on its way, is still percent-encoded, or is not encrypted"
        case .encoded(let encoding):
            "not Base64: the value is \(encoding)"
        case .wrongLength(let length):
            length.description
        case .undecryptable:
            "no key of the ring decrypts this value: check that the private key for the certificate that the service "
                + "uses is among them, and that the attribute is the right one"
        case .undecided(let reason):
            reason.description
        }
    }
}

extension MetadataLength: CustomStringConvertible {
    /// The lengths, and why they do not fit.
    public var description: String {
        if bytes == 0 { return "the value is empty" }
        if let encoding { return "the value is \(encoding)" }
        let lengths = blockLengths.map { String($0) }.joined(separator: " or ")
        if blockLengths.contains(where: { bytes % $0 == 0 }) {
            return "\(bytes) bytes are more than \(MetadataDecrypter.maximumBlocks) blocks of \(lengths)"
        }
        return
            "\(bytes) bytes are not a multiple of \(lengths), the block length of the keys: the value was encrypted for "
            + "a key of another size, or cut off"
    }
}

extension MetadataUndecided: CustomStringConvertible {
    /// What is wrong with the decrypter's side.
    public var description: String {
        switch self {
        case .noKeys: "there are no keys to decrypt with"
        case .backend(let words): "libcrypto failed (\(words)); try again"
        }
    }
}
