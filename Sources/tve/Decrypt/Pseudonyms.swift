#if CLI
import TextCodecs
import HostSystem
import OpenSSLBridge

/// Turns texts into keyed hashes: equal texts get equal hashes, and without the key nobody finds the text.
///
/// HMAC-SHA-256 (RFC 2104), 64 lowercase hexadecimal digits. The field's name is no part of it, so that tables can be
/// joined over fields of different names. A postal code is guessed in an instant by whoever has the key.
struct Pseudonyms: Sendable {
    private let key: WipedBytes

    /// Bytes that a key has at least: as many as the hash.
    private static let shortestKey = 32
    private static let maximumKeyLength = 4096

    /// Reads a key: all bytes of a file, a line end too.
    init(contentsOfFile path: String, _ form: OutputForm) throws {
        do throws(FileFailure) {
            key = try Files.read(path, maximumSize: Self.maximumKeyLength)
        } catch {
            // A name that leads nowhere is not shown: the key itself may stand there.
            let detail =
                error.isMissing
                ? "--pseudonymise: there is no such file (its name is not shown, in case it is the key; that goes "
                    + "into a file)"
                : "\(path): \(error.reason)"
            throw Console.fail(
                "unreadable_key", file: error.isMissing ? nil : path, detail, form,
                error.isMissing ? .noInput : .badConfiguration)
        }
        guard key.count >= Self.shortestKey else {
            let detail =
                "\(path): \(key.count) bytes are too few for a key; make one with: openssl rand -out FILE 32"
            throw Console.fail("key_too_small", file: path, detail, form, .badConfiguration)
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
