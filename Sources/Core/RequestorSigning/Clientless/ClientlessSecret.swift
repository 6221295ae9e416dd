import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// The secret of a clientless application; it is overwritten when released, and never shown.
public struct ClientlessSecret: Sendable {
    private let key: AuthenticationKey

    /// Copies the secret's text, given as bytes; the caller overwrites the source.
    ///
    /// - Parameter bytes: The secret as it was issued: UTF-8, not decoded.
    /// - Throws: `.unsuitable` if it is empty, is not UTF-8, or has white space at an end or control characters.
    public init(_ bytes: Span<UInt8>) throws(RequestorSigningError) {
        try self.init(WipedBytes(bytes))
    }

    /// Copies the secret's text, given as an array; the caller overwrites the array.
    ///
    /// - Parameter bytes: The secret as it was issued: UTF-8, not decoded.
    /// - Throws: `.unsuitable` if it is empty, is not UTF-8, or has white space at an end or control characters.
    public init(_ bytes: [UInt8]) throws(RequestorSigningError) {
        self = try bytes.withSpan { bytes throws(RequestorSigningError) in try ClientlessSecret(bytes) }
    }

    /// Reads the secret from a file; one line end at the end is not part of it.
    ///
    /// - Parameter path: The file.
    /// - Throws: `.unreadableSecret` if the file cannot be read or has more than 4096 bytes; `.unsuitable` as above.
    public init(contentsOfFile path: String) throws(RequestorSigningError) {
        let content = try rethrowing(SecretFile.text(path)) { (failure: FileFailure) in
            RequestorSigningError.unreadableSecret(file: Files.shown(path), reason: failure.reason)
        }
        try self.init(content)
    }

    private init(_ bytes: WipedBytes) throws(RequestorSigningError) {
        // As bytes instead of a String, which cannot be overwritten.
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
        key = AuthenticationKey(bytes, digest: .insecureSHA1)
    }

    /// HMAC-SHA1 of a request's signed part.
    func code(of message: [UInt8]) throws(RequestorSigningError) -> [UInt8] {
        try rethrowing(key.code(of: message), as: RequestorSigningError.init(_:))
    }
}

extension ClientlessSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the secret.
    public var description: String { "clientless secret" }
    /// A fixed text without the secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that debuggers and dumps do not show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
