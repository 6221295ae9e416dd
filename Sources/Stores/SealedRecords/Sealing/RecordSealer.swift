import EntitlementValues
package import HostSystem
import OpenSSLBridge
import TextCodecs

/// Makes the keys of records, and seals and opens their content.
///
/// A record is sealed with AES-256-GCM under a key of its own, HMAC-SHA-256 of 16 random bytes with the newest key of
/// the ring. It is bound to its purpose, the form of its content, the name of the key, its place and its version: it
/// opens nowhere else, and an old version does not pass for a new one.
public struct RecordSealer: Sendable {
    private let keys: SealingKeys?
    private let index: AuthenticationKey

    /// Seals with the keys of a ring.
    ///
    /// - Parameter keys: The ring: the newest key seals, all of them open.
    public init(_ keys: SealingKeys) {
        (self.keys, index) = (keys, keys.index)
    }

    /// Leaves records as they are: a user who can read the store can read the credentials and tokens in it.
    ///
    /// For tests, and for stores that live in memory.
    public static let unsealed = RecordSealer()

    private init() {
        // Not a secret: hidden places are of no use where the records can be read.
        let name = WipedBytes(Array("swift-tve-tokens unsealed".utf8))
        (keys, index) = (nil, AuthenticationKey(name, digest: .sha256))
    }

    /// Makes the key under which something is kept: HMAC-SHA-256 of its name with the index key.
    ///
    /// The name is a device key, a subscriber or a code; it has another key for another purpose. Throws only
    /// `.undecided`.
    package func key(of name: String, for purpose: RecordPurpose) throws(SealingError) -> RecordKey {
        // 0xFF occurs in no text, so no byte can move from one to the other.
        let message = Array(purpose.rawValue.utf8) + [0xFF] + Array(name.utf8)
        return try SealingError.mapping { () throws(OpenSSLFailure) in
            guard let key = RecordKey(try index.code(of: message)) else {
                throw OpenSSLFailure("making the key of a record")
            }
            return key
        }
    }

    /// Seals the content of a record, bound to its context; throws only `.undecided`.
    package func seal(_ content: Span<UInt8>, in context: RecordContext) throws(SealingError) -> [UInt8] {
        guard let keys, let newest = keys.keys.last else {
            return SealedForm.header(schema: context.schema, keyID: nil, salt: []) + [UInt8](copying: content)
        }
        return try SealingError.mapping { () throws(OpenSSLFailure) in
            let random = try randomBytes(SealedForm.saltLength + SealedForm.nonceLength)
            let salt = Array(random.prefix(SealedForm.saltLength)), nonce = random.suffix(SealedForm.nonceLength)
            // A key of its own for each record: no nonce can meet the same key twice.
            let dataKey = try newest.secret.derivedKey(from: salt)
            let data = context.associatedData(keyID: newest.id)[...]
            let sealed = try dataKey.withSpan { key throws(OpenSSLFailure) in
                try AuthenticatedCipher.seal(content, key: key, nonce: nonce.span, binding: data.span)
            }
            return SealedForm.header(schema: context.schema, keyID: newest.id, salt: random) + sealed
        }
    }

    /// The schema that a stored record says it has; only `open` proves it.
    ///
    /// Throws `.malformedRecord` or `.newerForm`.
    package static func schema(of stored: [UInt8]) throws(SealingError) -> UInt32 {
        try stored.withSpan { bytes throws(SealingError) in try SealedForm(of: bytes).schema }
    }

    /// The name of the key that a stored record says it was sealed with; only `open` proves it.
    ///
    /// It is `nil` if the record is not sealed. Throws `.malformedRecord` or `.newerForm`.
    package static func keyID(of stored: [UInt8]) throws(SealingError) -> String? {
        try stored.withSpan { bytes throws(SealingError) in
            let form = try SealedForm(of: bytes)
            return form.kind == .sealed ? form.keyID : nil
        }
    }

    /// The name of the key that seals; `nil` if this sealer leaves records as they are.
    package var newestKeyID: String? { keys?.keys.last?.id }

    /// Opens what was sealed.
    ///
    /// - Parameters:
    ///   - stored: What was stored.
    ///   - context: What it must be bound to.
    /// - Returns: The content.
    /// - Throws: `SealingError`.
    package func open(_ stored: [UInt8], in context: RecordContext) throws(SealingError) -> WipedBytes {
        let slice = stored[...]
        let bytes = slice.span
        let form = try SealedForm(of: bytes)
        guard let keys else {
            guard form.kind == .unsealed else { throw .isSealed(keyID: form.keyID) }
            guard form.schema == context.schema else { throw .malformedRecord }
            return WipedBytes(bytes.extracting(form.content))
        }
        guard form.kind == .sealed else { throw .notSealed }
        guard let key = keys.keys.last(where: { $0.id == form.keyID }) else { throw .unknownKey(id: form.keyID) }
        guard form.schema == context.schema else { throw .doesNotOpen(keyID: form.keyID) }
        let data = context.associatedData(keyID: form.keyID)[...]
        let opened = try SealingError.mapping { () throws(OpenSSLFailure) in
            try key.secret.derivedKey(from: Array(stored[form.salt])).withSpan { key throws(OpenSSLFailure) in
                try AuthenticatedCipher.open(
                    bytes.extracting(form.content), key: key, nonce: bytes.extracting(form.nonce), binding: data.span)
            }
        }
        guard let opened else { throw .doesNotOpen(keyID: form.keyID) }
        return opened
    }
}

extension SealingError {
    static func mapping<Value>(
        _ body: () throws(OpenSSLFailure) -> Value
    ) throws(SealingError) -> Value {
        try rethrowing(body()) { (failure: OpenSSLFailure) in SealingError.undecided(reason: failure.description) }
    }
}
