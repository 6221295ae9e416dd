package import HostSystem
package import OpenSSLBridge
import TextCodecs

/// Replaces texts by keyed hashes: equal texts get equal hashes, and the text cannot be found without the key.
///
/// HMAC-SHA-256 (RFC 2104), 64 lowercase hexadecimal digits. The name of the field is not part of the hash, so that
/// tables can be joined over fields of different names. With the key, a short text such as a postal code is easily
/// found by trying all of them.
package struct Pseudonyms: Sendable {
    private let key: AuthenticationKey

    /// Takes a key of at least 32 bytes, as many as the hash has.
    package init(key: WipedBytes) { self.key = AuthenticationKey(key, digest: .sha256) }

    /// Hashes the UTF-8 of a text to 64 lowercase hexadecimal digits.
    ///
    /// The text is taken as it is: nothing is trimmed or normalised.
    package func pseudonym(of text: String) throws(OpenSSLFailure) -> String {
        Hex.encode(try key.code(of: Array(text.utf8)))
    }
}
