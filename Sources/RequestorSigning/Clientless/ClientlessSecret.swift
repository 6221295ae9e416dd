import EntitlementKeys
import HostSystem
import OpenSSLBridge
import TextCodecs

/// Holds the secret of a clientless application: overwritten when released, and never shown.
public struct ClientlessSecret: Sendable {
    private let bytes: WipedBytes

    /// Takes the secret's text as bytes; the source is the caller's to wipe.
    ///
    /// - Parameter bytes: The secret as it was given out, UTF-8, not decoded.
    /// - Throws: `.unsuitable` for what is empty, not UTF-8, or has outer white space or control characters.
    public init(_ bytes: Span<UInt8>) throws(RequestorSigningError) {
        try self.init(WipedBytes(bytes))
    }

    /// Reads the secret from a file; one line end at the end is not part of it.
    ///
    /// - Throws: `.unreadableSecret` for a file that cannot be read or has more than 4096 bytes; `.unsuitable` as above.
    public init(contentsOfFile path: String) throws(RequestorSigningError) {
        let content: WipedBytes
        do throws(FileFailure) {
            content = try SecretFile.text(path)
        } catch {
            throw .unreadableSecret(file: path, reason: error.reason)
        }
        try self.init(content)
    }

    private init(_ bytes: WipedBytes) throws(RequestorSigningError) {
        // Byte by byte, not as a String: strings cannot be wiped.
        try bytes.withSpan { text throws(RequestorSigningError) in
            guard !text.isEmpty else { throw .unsuitable(field: "secret", .empty) }
            if let offset = text.indices.first(where: { text[$0] < 0x20 && text[$0] != 0x09 || text[$0] == 0x7F }) {
                throw .unsuitable(field: "secret", .control(scalar: UInt32(text[offset]), offset: offset))
            }
            guard text.isTextWithoutNUL else { throw .unsuitable(field: "secret", .notUTF8) }
            guard !text[0].isWhiteSpace, !text[text.count - 1].isWhiteSpace else {
                throw .unsuitable(field: "secret", .outerWhiteSpace)
            }
        }
        self.bytes = bytes
    }

    /// HMAC-SHA1 of a request's signed part.
    func code(of message: Span<UInt8>) throws(RequestorSigningError) -> [UInt8] {
        do throws(OpenSSLFailure) {
            return try bytes.withSpan { key throws(OpenSSLFailure) in
                try authenticationCode(of: message, key: key, digest: .legacySHA1)
            }
        } catch {
            throw .undecided(.backend(error.description))
        }
    }
}

extension ClientlessSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, and nothing of it.
    public var description: String { "clientless secret" }
    /// What it is, and nothing of it.
    public var debugDescription: String { description }
    /// Empty: nothing of the secret is shown to debuggers and dumps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
