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
    /// - Parameter text: The statement, with nothing around it. White space is refused, not removed: the broker's own
    ///   example has line breaks inside the statement, which are not valid in JSON either.
    /// - Throws: `.badStatement`.
    public init(_ text: String) throws(BrokerRequestError) {
        redactedText = Redacted(text)
        do throws(SoftwareStatementFault) {
            unverifiedClaims = try text.withBytes { bytes throws(SoftwareStatementFault) in
                try UnverifiedClaims(ofToken: bytes)
            }
        } catch {
            throw .badStatement(error)
        }
    }
}

extension SoftwareStatement: CustomStringConvertible {
    /// The words *software statement*, not the statement.
    public var description: String { "software statement" }
}
