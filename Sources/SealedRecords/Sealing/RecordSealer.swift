package import HostSystem
import OpenSSLBridge
import TextCodecs

/// Makes the keys of records, and seals and opens their content.
public struct RecordSealer: Sendable {
    private let indexKey: WipedBytes

    /// Leaves records as they are: whoever can read the store can read the credentials in it.
    ///
    /// For tests, and for stores that live in memory.
    public static let unsealed = RecordSealer(indexKey: WipedBytes(Array("unsealed".utf8)))

    private init(indexKey: WipedBytes) { self.indexKey = indexKey }

    /// Makes the key under which something is kept, without showing it.
    ///
    /// - Parameters:
    ///   - name: What is kept: a device key, a subscriber, a code.
    ///   - purpose: What the key is for; the same name has another key for another purpose.
    /// - Returns: The key.
    /// - Throws: `.undecided`.
    package func key(of name: String, for purpose: RecordPurpose) throws(SealingError) -> RecordKey {
        // The purpose ends with a byte that no text has, so that no byte can move from one to the other.
        let message = Array(purpose.rawValue.utf8) + [0xFF] + Array(name.utf8)
        do throws(OpenSSLFailure) {
            let code = try authenticationCode(of: message, key: indexKey, digest: .sha256)
            guard let key = RecordKey(code) else { throw OpenSSLFailure("authenticating") }
            return key
        } catch {
            throw .undecided(reason: error.description)
        }
    }

    /// Seals the content of a record.
    ///
    /// - Parameters:
    ///   - content: What is sealed.
    ///   - context: What it is bound to.
    /// - Returns: What is stored.
    /// - Throws: `SealingError`.
    package func seal(_ content: Span<UInt8>, in context: RecordContext) throws(SealingError) -> [UInt8] {
        [UInt8](copying: content)
    }

    /// Opens what was sealed.
    ///
    /// - Parameters:
    ///   - sealed: What was stored.
    ///   - context: What it must be bound to.
    /// - Returns: The content.
    /// - Throws: `SealingError`.
    package func open(_ sealed: [UInt8], in context: RecordContext) throws(SealingError) -> WipedBytes {
        WipedBytes(sealed)
    }
}
