public import EntitlementKeys

/// The text of an attribute, and the key that read it.
///
/// The text stands for a person: keep it out of logs.
public struct DecryptedMetadata: Sendable {
    /// The text as it was encrypted; not empty, without NUL.
    public let text: String
    /// The key of the ring that read it: an old one here means that somebody still encrypts for it.
    public let key: DecryptionKey
}

extension DecryptedMetadata: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Neither the text nor the key.
    public var description: String { "decrypted metadata" }
    /// Neither the text nor the key.
    public var debugDescription: String { description }
    /// Empty: debuggers and dumps are shown nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
