import OpenSSLBridge
import TextCodecs

/// Hashes texts that the broker must not get to know.
enum SHA256Text {
    /// Hashes the UTF-8 of a text to 64 lower-case hexadecimal digits.
    ///
    /// An empty text is refused with `.empty`: the hash of nothing is the same for all users. Throws `.backend` if
    /// libcrypto fails.
    static func hash(_ text: String, for header: String) throws(BrokerHeaderError) -> String {
        guard !text.utf8.isEmpty else { throw .empty(header: header) }
        do throws(OpenSSLFailure) {
            return Hex.encode(try Digest.sha256.hash(Array(text.utf8)))
        } catch {
            throw .backend(header: header, reason: error.description)
        }
    }
}
