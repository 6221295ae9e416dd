package import OpenSSLBridge

/// Signs with RSA, and nothing else: it cannot decrypt, and cannot be read out again.
public struct SigningKey: Sendable {
    /// The file's name, or the name given with a key in memory.
    public let label: String
    /// Length of the modulus.
    public let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public let fingerprint: String

    package let subjectPublicKeyInfo: [UInt8]
    private let storage: KeyStorage

    /// Reads an unencrypted private key, PEM or DER, PKCS#8 or PKCS#1.
    ///
    /// - Parameters:
    ///   - path: A file with exactly one private key; certificates beside it are ignored.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits, for test tokens like those on the wire.
    /// - Throws: `KeyError`.
    public init(contentsOfFile path: String, allowingWeakKeys: Bool = false) throws(KeyError) {
        try self.init(KeyItem.items(inFile: path), file: path, allowingWeakKeys: allowingWeakKeys)
    }

    /// Reads an unencrypted private key from memory, PEM or DER, PKCS#8 or PKCS#1.
    ///
    /// - Throws: `KeyError`.
    public init(_ content: Span<UInt8>, named name: String, allowingWeakKeys: Bool = false) throws(KeyError) {
        let items = try KeyItem.items(in: WipedBytes(content), named: name)
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
        return try SigningKey([.privateKey(storage)], file: name, allowingWeakKeys: true)
    }

    private init(_ items: [KeyItem], file: String, allowingWeakKeys: Bool) throws(KeyError) {
        let privateKeys = items.compactMap { if case .privateKey(let storage) = $0 { storage } else { nil } }
        guard let storage = privateKeys.first else {
            throw .unsupported(file: file, found: "no private key", advice: "signing takes the private key")
        }
        guard privateKeys.count == 1 else {
            throw .unsupported(
                file: file, found: "\(privateKeys.count) private keys", advice: "signing takes a file with one")
        }
        let limits = allowingWeakKeys ? KeyLimits.verification : .signing
        bits = try limits.check(storage.key, file: file).bits
        label = file.split(separator: "/").last.map(String.init) ?? file
        self.storage = storage
        do throws(OpenSSLFailure) {
            subjectPublicKeyInfo = try storage.key.subjectPublicKeyInfo
            fingerprint = try storage.key.fingerprint
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
        try selfTest(file: file)
    }

    /// Signs a fixed digest and verifies it: a damaged key signs without an error, and wrongly.
    private func selfTest(file: String) throws(KeyError) {
        let digest = [UInt8](repeating: 0x5A, count: Digest.sha256.length)
        do throws(OpenSSLFailure) {
            let signature = try sign(digest: digest.span, algorithm: .sha256)
            let publicHalf = try PKey(subjectPublicKeyInfo: subjectPublicKeyInfo.span)
            let verifier = try SignatureVerifier(key: publicHalf, digest: .sha256)
            if try verifier.isValid(signature.span, digest: digest.span) { return }
        } catch {
            throw .unreadable(file: file, reason: "the private key is damaged (\(error))")
        }
        throw .unreadable(file: file, reason: "the private key is damaged: its signatures do not verify")
    }

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
