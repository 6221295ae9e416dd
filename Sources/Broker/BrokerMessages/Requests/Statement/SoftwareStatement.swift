import EntitlementValues
import HostSystem
import ServiceResponses
import TextCodecs

/// The software statement (RFC 7591 §2.3) that the broker's operator issued to an application: a signed JSON Web Token.
///
/// Its holder can register clients in the programmer's name, so neither description nor mirror shows it. Its signature
/// is not checked, since only the broker has the key: take its claims as a hint to the operator of this program.
public struct SoftwareStatement: Sendable, Hashable {
    /// The longest statement, in bytes.
    public static let maximumLength = 16_384

    private let redactedText: Redacted<String>

    /// What the statement says, not verified.
    public let unverifiedClaims: UnverifiedClaims

    /// The statement itself.
    public var text: String { redactedText.value }

    /// Takes a statement.
    ///
    /// - Parameter text: The statement, with nothing around it but perhaps a byte order mark. White space is refused, not
    ///   removed: the broker's own example has line breaks inside the statement, which are not valid in JSON either. Of a
    ///   file, ``init(contentsOfFile:)`` takes the line end off.
    /// - Throws: `.badStatement`.
    public init(_ text: String) throws(BrokerRequestError) {
        let text = text.withoutByteOrderMark
        redactedText = Redacted(text)
        do throws(SoftwareStatementFault) {
            unverifiedClaims = try text.withBytes { bytes throws(SoftwareStatementFault) in
                try UnverifiedClaims(ofToken: bytes)
            }
        } catch {
            throw .badStatement(error)
        }
    }

    /// Reads a file that holds a statement.
    ///
    /// A byte order mark before the statement and one line end after it are not part of it: editors and shells add them.
    ///
    /// - Parameter path: The file.
    /// - Throws: `.badStatement`.
    public init(contentsOfFile path: String) throws(BrokerRequestError) {
        let content: WipedBytes
        do throws(FileFailure) {
            content = try Files.read(path, maximumSize: Self.maximumFileSize)
        } catch {
            throw .badStatement(.unreadableFile(file: path, reason: error.reason))
        }
        try self.init(fileContent: content.withSpan { [UInt8](copying: $0) })
    }

    /// The most bytes of a file with a statement.
    ///
    /// One in UTF-16 is read as well, so that the error can name it.
    package static let maximumFileSize = 2 * maximumLength + 6

    /// Takes what a file holds, as ``init(contentsOfFile:)`` does.
    package init(fileContent bytes: [UInt8]) throws(BrokerRequestError) {
        if bytes.withSpan({ $0.looksLikeUTF16 }) { throw .badStatement(.encoded(.utf16)) }
        var end = bytes.count
        if bytes.last == UInt8(ascii: "\n") {
            end -= bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1
        }
        try self.init(String(decoding: bytes[..<end], as: UTF8.self))
    }
}

extension SoftwareStatement: CustomStringConvertible {
    /// The words *software statement*, not the statement.
    public var description: String { "software statement" }
}
