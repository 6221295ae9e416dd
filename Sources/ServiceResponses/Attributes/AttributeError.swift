public import MetadataDecryption

/// Says why one attribute of a user has no value to work with.
///
/// The other attributes are not touched by it. No case holds a value.
@nonexhaustive
public enum AttributeError: Error, Sendable, Hashable {
    /// The value is encrypted, and nobody has decrypted it yet.
    case encrypted
    /// The attribute is no object with a value.
    case malformed
    /// The attribute does not say whether its value is encrypted, or not in words that are known here. It may be
    /// encrypted by another scheme.
    case unknownState
    /// The attribute is marked as encrypted, and its value is not a text.
    case encryptedNotText
    /// The value could not be decrypted.
    case decryption(MetadataDecryptionError)
    /// The value is there, and is not what was asked for. Its text is at hand.
    case otherShape(MetadataShape)

    /// The stable name of the error: what programs and log searches should look at.
    public var code: String {
        switch self {
        case .encrypted: "encrypted"
        case .malformed: "bad_attribute"
        case .unknownState: "unknown_state"
        case .encryptedNotText: "encrypted_not_text"
        case .decryption(let error): error.code
        case .otherShape: "other_shape"
        }
    }
}

extension AttributeError: CustomStringConvertible {
    /// What happened and what to do, in one line, without anything of the value.
    public var description: String {
        switch self {
        case .encrypted: "the value is encrypted; decrypt the response first"
        case .malformed: "the attribute is not an object with a value"
        case .unknownState: "the attribute's state is neither plain nor enc, so what its value is is not known"
        case .encryptedNotText: "the attribute is marked as encrypted, and its value is not a text"
        case .decryption(let error): error.description
        case .otherShape(let shape): "the value is not \(shape.article); see its text"
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
