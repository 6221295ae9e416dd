package import EntitlementValues
package import HostSystem
import OpenSSLBridge

/// Holds a private RSA key that may be written to a file: for making and converting keys, never for using them.
///
/// The public types (``SigningKey``, ``DecryptionKeys``) give no key away; that is why this is another type, and not
/// public.
package struct KeyMaterial: Sendable {
    /// Where the key was read from, or the name given with a new one.
    package let source: String
    /// Length of the modulus.
    package let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    package let fingerprint: String
    /// The public half, as SubjectPublicKeyInfo in PEM.
    package let publicKeyPEM: String

    private let storage: KeyStorage

    /// How often PBKDF2 runs for an encrypted key, as OWASP asks for with HMAC-SHA-256: up to a second for each guess, and
    /// for each use.
    private static let iterations = 600_000

    /// Reads the private keys of a file, in its order; there is at least one.
    ///
    /// The password is ignored if nothing is encrypted. Weak keys have 1024 to 2047 bits.
    package static func all(
        inFile path: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) -> [KeyMaterial] {
        let limits = allowingWeakKeys ? KeyLimits.verification : .signing
        let items = try KeyReader(password: password).items(inFile: path)
        var found: [KeyMaterial] = []
        for entry in try items.privateKeys(file: path, limits: limits, purpose: "writing a private key") {
            found.append(try KeyMaterial(entry.storage, source: path))
        }
        return found
    }

    /// Makes a new key of 2048 to 8192 bits with the exponent 65537, in memory only; errors show its name.
    package static func generated(bits: Int, named name: String) throws(KeyError) -> KeyMaterial {
        guard bits >= KeyLimits.signing.minimumBits else {
            throw .tooSmall(file: name, bits: bits, minimum: KeyLimits.signing.minimumBits)
        }
        guard bits <= KeyLimits.maximumBits else { throw .tooLarge(file: name, bits: bits) }
        return try KeyMaterial(try naming(name, KeyStorage(try PKey(generatingRSA: bits))), source: name)
    }

    private init(_ storage: KeyStorage, source: String) throws(KeyError) {
        self.source = source
        self.storage = storage
        bits = try naming(source, storage.key.facts.bits)
        fingerprint = try naming(source, storage.key.fingerprint)
        publicKeyPEM = pem(ofPublicKey: try naming(source, storage.key.subjectPublicKeyInfo))
    }

    /// Writes the key as encrypted PKCS#8 in PEM: PBES2, PBKDF2 with HMAC-SHA-256, AES-256-CBC.
    ///
    /// Throws `.badPassword` if the password is empty or has a NUL in it.
    package func encryptedPEM(password: KeyPassword) throws(KeyError) -> WipedBytes {
        guard password.isUsable else {
            throw .badPassword(file: source, format: "encrypting (the password is empty or has a NUL)")
        }
        return try naming(source, storage.key.encryptedPEM(password: password.bytes, iterations: Self.iterations))
    }

    /// Writes the key as PKCS#8 in PEM, unencrypted: only for a user who asked for exactly that.
    package func unencryptedPEM() throws(KeyError) -> WipedBytes {
        try naming(source, storage.key.plainPEM())
    }

    /// Writes a certificate request (PKCS#10, SHA-256) in PEM.
    ///
    /// An error names the part of the subject that OpenSSL refused.
    package func certificateRequestPEM(subject: CertificateSubject) throws(KeyError) -> String {
        try naming(source, storage.key.certificateRequestPEM(subject: subject.parts).text)
    }

    /// Writes a self-signed certificate (X.509 v3, SHA-256) in PEM.
    ///
    /// `validity` has the first and the last second at which it is valid. An error names the part of the subject that
    /// OpenSSL refused.
    package func selfSignedCertificatePEM(
        subject: CertificateSubject,
        validity: ClosedRange<Timestamp>
    ) throws(KeyError) -> String {
        try naming(
            source,
            storage.key.selfSignedCertificatePEM(
                subject: subject.parts,
                notBefore: validity.lowerBound.milliseconds / 1000,
                notAfter: validity.upperBound.milliseconds / 1000
            ).text)
    }
}

extension KeyMaterial: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Size; nothing of the key itself.
    package var description: String { "private key (RSA \(bits))" }
    /// Size; nothing of the key itself.
    package var debugDescription: String { description }
    /// Empty: nothing of the key is shown to debuggers and dumps.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The name in a certificate.
package struct CertificateSubject: Sendable {
    fileprivate let parts: [NamePart]

    /// Makes a name (CN, O, C) of the parts that are given.
    ///
    /// The country is two letters; OpenSSL refuses anything else.
    package init(commonName: String, organization: String? = nil, country: String? = nil) {
        parts = [("C", country), ("O", organization), ("CN", commonName)].compactMap { attribute, value in
            value.map { NamePart(attribute, $0) }
        }
    }
}

extension WipedBytes {
    /// The bytes as a text, for content that is not secret.
    fileprivate var text: String {
        withSpan { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
