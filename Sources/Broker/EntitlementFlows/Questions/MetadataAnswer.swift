#if Client
public import EntitlementValues
import ServiceResponses

/// The answer to a question for metadata.
///
/// Descriptions and mirrors do not show the value.
public struct MetadataAnswer: Sendable, Hashable {
    /// The value of an answer.
    public enum Value: Sendable, Hashable {
        /// An instant.
        case instant(Timestamp)
        /// A text.
        case text(String)
        /// JSON, as the broker sent it or as it was decrypted.
        case json(String)
    }

    /// What was asked.
    public let question: MetadataQuestion
    /// Whether the value is encrypted still.
    public let isEncrypted: Bool

    private let redactedValue: Redacted<Value?>

    /// The value; `nil` if there is none.
    public var value: Value? { redactedValue.value }

    /// Describes an answer.
    ///
    /// - Parameters:
    ///   - question: What was asked.
    ///   - value: The value.
    ///   - isEncrypted: Whether the value is encrypted still.
    public init(to question: MetadataQuestion, _ value: Value?, isEncrypted: Bool = false) {
        (self.question, redactedValue, self.isEncrypted) = (question, Redacted(value), isEncrypted)
    }
}

/// A question for metadata.
public enum MetadataQuestion: Sendable, Hashable {
    /// Until when the user is signed in.
    case authenticationTTL
    /// Until when a decision about a resource holds.
    case authorizationTTL(ResourceID)
    /// The device's identifier, if the options reveal it.
    case deviceIdentifier
    /// An attribute of the user; `nil` for all of them.
    case userMetadata(String?)
}
#endif
