public import EntitlementValues
import OpenSSLBridge

/// A private RSA key that only decrypts: it cannot sign, and cannot be exported.
public struct DecryptionKey: Sendable {
    /// The file's name, with `#2`, `#3` … for further keys of the same file.
    public private(set) var label: String
    /// Where the key was read from: a path, or the name given with keys in memory.
    public let source: String
    /// Length of the modulus.
    public let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public let fingerprint: String
    /// The dates of the certificate for this key; `nil` if the same file does not hold it.
    ///
    /// They are for information, and not enforced.
    public let validity: ClosedRange<Timestamp>?
    /// The name of the key inside its file, such as the friendly name in PKCS#12.
    ///
    /// The maker of the file chose it, so escape it before showing it.
    public let alias: String?

    package let storage: KeyStorage
    private let counter = DecryptionCounter()

    /// How often it decrypted: an old key that reads no values any more can be retired.
    public var use: DecryptionUse { counter.use }

    /// Counts a value that the key read, or a value that it was tried on and that no key read.
    package func noteUse(success: Bool) {
        counter.note(success: success)
    }

    init(_ entry: PrivateKeyEntry, file: String, number: Int) throws(KeyError) {
        label = numberedLabel(of: file, number: number)
        source = file
        validity = entry.validity
        alias = entry.alias
        storage = entry.storage
        bits = try naming(file, entry.storage.key.facts.bits)
        fingerprint = try naming(file, entry.storage.key.fingerprint)
    }

    func labelled(_ label: String) -> DecryptionKey {
        var copy = self
        copy.label = label
        return copy
    }
}

extension DecryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Role and size; nothing of the key itself.
    public var description: String { "decryption key (RSA \(bits))" }
    /// Role and size; nothing of the key itself.
    public var debugDescription: String { description }
    /// Empty: nothing of the key is shown to debuggers and dumps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
