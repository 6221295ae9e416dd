#if CLI
import EntitlementKeys
import HostSystem
import OpenSSLBridge
import TextCodecs

/// Turns texts into keyed hashes: equal texts get equal hashes, and without the key nobody finds the text.
///
/// HMAC-SHA-256 (RFC 2104), 64 lowercase hexadecimal digits. The field's name is no part of it, so that tables can be
/// joined over fields of different names. A postal code is guessed in an instant by whoever has the key.
struct Pseudonyms: Sendable {
    private let key: WipedBytes

    /// Reads a key: all bytes of a file, a line end too.
    init(contentsOfFile path: String, _ form: OutputForm) throws {
        do throws(SecretFileFailure) {
            key = try SecretFile.key(path)
        } catch {
            switch error {
            case .unreadable(let failure) where failure.isMissing:
                // The name is not shown: it may be the key itself.
                let detail =
                    "--pseudonymise: there is no such file (its name is not shown, in case it is the key; that goes "
                    + "into a file)"
                throw Console.fail("unreadable_key", file: nil, detail, form, .noInput)
            case .unreadable:
                throw Console.fail("unreadable_key", file: path, "\(path): \(error)", form, .badConfiguration)
            case .keyTooSmall:
                throw Console.fail("key_too_small", file: path, "\(path): \(error)", form, .badConfiguration)
            }
        }
    }

    /// The hash of a text's UTF-8.
    func pseudonym(of text: String) throws(OpenSSLFailure) -> String {
        let bytes = Array(text.utf8)
        let code = try key.withSpan { key throws(OpenSSLFailure) in
            try authenticationCode(of: bytes.span, key: key, digest: .sha256)
        }
        return Hex.encode(code)
    }
}
#endif
