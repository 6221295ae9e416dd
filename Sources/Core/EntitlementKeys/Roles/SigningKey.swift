public import EntitlementValues
import HostSystem
package import OpenSSLBridge
import TextCodecs

/// A private RSA key that only signs: it cannot decrypt, and cannot be exported.
public struct SigningKey: Sendable {
    /// The file's name, or the name given with a key in memory.
    public let label: String
    /// Length of the modulus.
    public let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public let fingerprint: String

    /// Where the key was read from: a path, or the name given with a key in memory.
    public let source: String
    /// The dates of the certificate for this key; `nil` if the same file does not hold it.
    ///
    /// They are for information, and not enforced.
    public let validity: ClosedRange<Timestamp>?

    package let subjectPublicKeyInfo: [UInt8]
    package let storage: KeyStorage

    /// Reads a private key from a file.
    ///
    /// The content decides, not the name: PEM and DER; PKCS#8 and PKCS#1, also encrypted; PKCS#12 with old and new
    /// encryption. A damaged key is found by a trial signature and refused.
    ///
    /// - Parameters:
    ///   - path: A file with exactly one private key; of certificates beside it only the dates are used.
    ///   - password: Opens the key; ignored if it is not encrypted.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits, for test tokens like those on the wire.
    /// - Throws: `KeyError`; `.passwordRequired` and `.badPassword` if the key is encrypted.
    public init(
        contentsOfFile path: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        self = try blamingMemory(for: path) { () throws(KeyError) in
            let items = try KeyReader(password: password).items(inFile: path)
            return try SigningKey(items, file: path, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Reads a private key from memory, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the key in results and errors.
    ///   - password: Opens the key; ignored if it is not encrypted.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        _ content: Span<UInt8>,
        named name: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        let content = WipedBytes(content)
        self = try blamingMemory(for: name) { () throws(KeyError) in
            let items = try KeyReader(password: password).items(in: content, named: name)
            return try SigningKey(items, file: name, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Reads a private key from an array, in the same formats as from a file.
    ///
    /// Overwrite the array afterwards.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the key in results and errors.
    ///   - password: Opens the key; ignored if it is not encrypted.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        _ content: [UInt8],
        named name: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        self = try content.withSpan { content throws(KeyError) in
            try SigningKey(content, named: name, password: password, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Reads a private key from a text, for example one that a secret manager keeps.
    ///
    /// A `String` cannot be overwritten, so a copy of the key may stay in memory. From a file none does.
    ///
    /// - Parameters:
    ///   - pem: PEM: what a key file would hold, with its line breaks.
    ///   - name: Names the key in results and errors.
    ///   - password: Opens the key; ignored if it is not encrypted.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        pem: String,
        named name: String = "PEM",
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        self = try pem.withBytes { content throws(KeyError) in
            try SigningKey(content, named: name, password: password, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Makes a new key, which exists only in memory.
    ///
    /// - Parameters:
    ///   - bits: 1024 to 8192. Below 2048 is for tests.
    ///   - name: Names the key in results and errors.
    /// - Returns: A key that can sign.
    /// - Throws: `KeyError`.
    public static func generated(bits: Int = 2048, named name: String) throws(KeyError) -> SigningKey {
        let range = KeyLimits.verification.minimumBits...KeyLimits.maximumBits
        guard range.contains(bits) else {
            throw bits < range.lowerBound
                ? .tooSmall(file: name, bits: bits, minimum: range.lowerBound) : .tooLarge(file: name, bits: bits)
        }
        let storage = try naming(name, KeyStorage(try PKey(generatingRSA: bits)))
        return try SigningKey(
            [KeyItem(content: .privateKey(storage), format: "new")], file: name, allowingWeakKeys: true)
    }

    init(_ items: [KeyItem], file: String, allowingWeakKeys: Bool) throws(KeyError) {
        let limits = allowingWeakKeys ? KeyLimits.verification : .signing
        let found = try items.privateKeys(file: file, limits: limits, purpose: "signing")
        guard let entry = found.first, found.count == 1 else {
            throw .unsupported(
                file: file, found: "\(found.count) private keys", advice: "signing takes a file with one")
        }
        label = fileName(of: file)
        source = file
        validity = entry.validity
        storage = entry.storage
        bits = try naming(file, entry.storage.key.facts.bits)
        subjectPublicKeyInfo = try naming(file, entry.storage.key.subjectPublicKeyInfo)
        fingerprint = entry.fingerprint
    }

    /// The public half, as SubjectPublicKeyInfo in PEM.
    public var publicKeyPEM: String { pem(ofPublicKey: subjectPublicKeyInfo) }

    /// Signs a digest of the given algorithm with RSASSA-PKCS1-v1_5; the signature is as long as the modulus.
    package func sign(digest: [UInt8], algorithm: Digest) throws(OpenSSLFailure) -> [UInt8] {
        try storage.key.sign(digest, as: algorithm)
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Role and size; nothing of the key itself.
    public var description: String { "signing key (RSA \(bits))" }
    /// Role and size; nothing of the key itself.
    public var debugDescription: String { description }
    /// Empty: nothing of the key is shown to debuggers and dumps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
