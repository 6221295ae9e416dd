public import EntitlementValues
import TextCodecs

/// The unverified media token of a decision.
///
/// Anyone who has the token can use it until it expires, so neither its description nor its mirror shows it.
public struct SerializedMediaToken: Sendable {
    private let redactedToken: Redacted<String>
    /// When the token begins to be valid, as the service says.
    public let notBefore: Timestamp?
    /// The last instant at which the token is valid, as the service says.
    public let notAfter: Timestamp?
    /// When the token was issued, as the service says.
    public let issuedAt: Timestamp?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// The token: Base64, as a media token verifier takes it.
    public var serializedToken: String { redactedToken.value }

    /// Makes a token to be sent.
    package init(
        serializedToken: String,
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        issuedAt: Timestamp? = nil,
        unknownFields: [JSONField] = []
    ) {
        redactedToken = Redacted(serializedToken)
        (self.notBefore, self.notAfter, self.issuedAt) = (notBefore, notAfter, issuedAt)
        self.unknownFields = unknownFields
    }

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        in text: Span<UInt8>,
        faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        redactedToken = Redacted(try object.requireText("serializedToken", text))
        notBefore = try object.takeInstant("notBefore", text)
        notAfter = try object.takeInstant("notAfter", text)
        issuedAt = try object.takeInstant("issuedAt", text)
        unknownFields = object.unknownFields(text)
        faults += object.faults
    }
}

extension SerializedMediaToken: CustomStringConvertible {
    /// The same text for every token.
    public var description: String { "unverified media token" }
}
