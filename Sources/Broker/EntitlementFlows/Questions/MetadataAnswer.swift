#if Client
public import EntitlementValues
package import MetadataDecryption
package import ServiceResponses

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

// MARK: Attributes

extension MetadataAnswer {
    /// Answers a question for an attribute of the user, or for all of them if no name is given.
    ///
    /// `updated` is when the profile was asked for. Without a decrypter, what is encrypted stays so.
    package init(
        to question: MetadataQuestion,
        named name: String?,
        from profile: Profile,
        updated: Timestamp,
        by decrypter: MetadataDecrypter?
    ) {
        let attributes = decrypter.map { profile.attributes.decrypted(with: $0) } ?? profile.attributes
        guard let name else {
            let isEncrypted = attributes.entries.contains { $0.isUnreadable }
            self.init(to: question, .json(attributes.legacyObject(updated: updated)), isEncrypted: isEncrypted)
            return
        }
        if name == Profile.legacyTokenSourceName {
            self.init(to: question, profile.legacyTokenSource.map { .text($0) })
            return
        }
        let entry = attributes[MetadataAttribute(name)]
        self.init(to: question, entry?.answer, isEncrypted: entry?.isUnreadable ?? false)
    }
}

extension UserMetadataEntry {
    /// Whether there is a value, but it is encrypted still, or in a way that is not known.
    fileprivate var isUnreadable: Bool {
        switch value {
        case .failure(.encrypted), .failure(.encryptedNotText), .failure(.decryption), .failure(.unknownState): true
        default: false
        }
    }

    /// The value for an answer; `nil` if there is none.
    fileprivate var answer: MetadataAnswer.Value? {
        switch value {
        case .success(let value):
            switch value.content {
            case .null: nil
            case .text(let text): .text(text)
            default: .json(value.text)
            }
        case .failure where isUnreadable: json.map { json in json.string.map { .text($0) } ?? .json(json.text) }
        case .failure: nil
        }
    }
}
#endif
