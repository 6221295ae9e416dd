public import MetadataDecryption

/// The reason why one attribute of a user has no usable value.
///
/// It does not affect the other attributes. No case contains a value.
@nonexhaustive
public enum AttributeError: Error, Sendable, Hashable {
    /// The value is still encrypted.
    case encrypted
    /// The attribute is not an object with a value.
    case malformed
    /// The attribute has no state, or an unknown one, so its value may be encrypted by another scheme.
    case unknownState
    /// The attribute is marked as encrypted, but its value is not a string.
    case encryptedNotText
    /// The service sent an error instead of the value.
    case reported(EnhancedErrorCode)
    /// The value could not be decrypted.
    case decryption(MetadataDecryptionError)
    /// The value has another shape than the one asked for; its text is available.
    case otherShape(MetadataShape)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .encrypted: "encrypted"
        case .malformed: "bad_attribute"
        case .unknownState: "unknown_state"
        case .encryptedNotText: "encrypted_not_text"
        case .reported: "service_error"
        case .decryption(let error): error.code
        case .otherShape: "other_shape"
        }
    }
}

extension AttributeError: CustomStringConvertible {
    /// What happened and what to do, in one line, without the value.
    public var description: String {
        switch self {
        case .encrypted: "the value is encrypted; decrypt the response first"
        case .malformed: "the attribute is not an object with a value"
        case .unknownState: "the attribute's state is neither plain nor enc, so its value may be encrypted"
        case .encryptedNotText: "the attribute is marked as encrypted, but its value is not a string"
        case .reported: "the service sent an error instead of the value; its code says which"
        case .decryption(let error): error.description
        case .otherShape(let shape): "the value is not \(shape.article); read its text instead"
        }
    }
}

extension MetadataShape {
    fileprivate var article: String {
        switch self {
        case .text: "a text"
        case .list: "a list of texts"
        case .boolean: "a bool value"
        case .object: "an object"
        }
    }
}
