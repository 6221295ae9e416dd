import HostSystem
public import EntitlementValues
package import OpenSSLBridge

/// Signs with RSA, and nothing else: it cannot decrypt, and cannot be read out again.
public struct SigningKey: Sendable {
    /// The file's name, or the name given with a key in memory.
    public let label: String
    /// Length of the modulus.
    public let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public let fingerprint: String

    /// Where the key was read from: a path, or the name given with a key in memory.
    public let source: String
    /// The dates of the certificate for this key, where the same file holds it.
    ///
    /// For information: they are not enforced.
    public let validity: ClosedRange<Timestamp>?

    package let subjectPublicKeyInfo: [UInt8]
    package let storage: KeyStorage

    /// Reads a private key from a file.
    ///
    /// Read by content: PEM and DER; PKCS#8, PKCS#1, both also encrypted; PKCS#12 with old and new encryption. The key
    /// is tried once, and a damaged one refused.
    ///
    /// - Parameters:
    ///   - path: A file with exactly one private key; certificates beside it are ignored, but for their dates.
    ///   - password: Opens the key; ignored where it is not encrypted.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits, for test tokens like those on the wire.
    /// - Throws: `KeyError`; `.passwordRequired` and `.badPassword` where the key is encrypted.
    public init(
        contentsOfFile path: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        let items = try KeyReader(password: password).items(inFile: path)
        try self.init(items, file: path, allowingWeakKeys: allowingWeakKeys)
    }

    /// Reads a private key from memory, in the same formats as from a file.
    ///
    /// - Throws: `KeyError`.
    public init(
        _ content: Span<UInt8>,
        named name: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        let items = try KeyReader(password: password).items(in: WipedBytes(content), named: name)
        try self.init(items, file: name, allowingWeakKeys: allowingWeakKeys)
    }

    /// Makes a new key, which lives as long as the process uses it.
    ///
    /// - Parameters:
    ///   - bits: 1024 to 8192. Below 2048 is for tests.
    ///   - name: Names the key in results and errors.
    /// - Returns: A key that can sign.
    /// - Throws: `KeyError`.
    public static func generated(bits: Int = 2048, named name: String) throws(KeyError) -> SigningKey {
        let range = KeyLimits.verification.minimumBits...8192
        guard range.contains(bits) else {
            throw bits < range.lowerBound
                ? .tooSmall(file: name, bits: bits, minimum: range.lowerBound) : .tooLarge(file: name, bits: bits)
        }
        let storage: KeyStorage
        do throws(OpenSSLFailure) {
            storage = KeyStorage(try PKey(generatingRSA: bits))
        } catch {
            throw .unreadable(file: name, reason: error.description)
        }
        return try SigningKey(
            [KeyItem(content: .privateKey(storage), format: "new")], file: name, allowingWeakKeys: true)
    }

    private init(_ items: [KeyItem], file: String, allowingWeakKeys: Bool) throws(KeyError) {
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
        do throws(OpenSSLFailure) {
            bits = try storage.key.facts.bits
            subjectPublicKeyInfo = try storage.key.subjectPublicKeyInfo
            fingerprint = try storage.key.fingerprint
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    /// The public half, as SubjectPublicKeyInfo in PEM.
    public var publicKeyPEM: String { pem("PUBLIC KEY", subjectPublicKeyInfo) }

    /// Signs a digest, or without padding a whole block.
    package func sign(
        digest: Span<UInt8>,
        algorithm: Digest,
        padding: SignaturePadding = .pkcs1v15
    ) throws(OpenSSLFailure) -> [UInt8] {
        try storage.key.sign(digest, as: algorithm, padding: padding)
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
