import TextCodecs
public import EntitlementValues

/// A media token as a response carries it: text that nobody has verified.
///
/// It works for whoever has it until it ends, so neither its description nor its mirror shows it.
public struct SerializedMediaToken: Sendable {
    private let withheld: Redacted<String>
    /// From when on the token is good, by the word of the service.
    public let notBefore: Timestamp?
    /// The last instant at which it is good, by the word of the service.
    public let notAfter: Timestamp?
    /// When it was issued, by the word of the service.
    public let issuedAt: Timestamp?
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    /// The token's text: Base64, as a media token verifier takes it.
    public var serializedToken: String { withheld.value }

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        _ text: Span<UInt8>,
        _ faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        guard let token = try object.takeText("serializedToken", text) else {
            throw .missing(path + "serializedToken")
        }
        withheld = Redacted(token)
        notBefore = try object.takeInstant("notBefore", text)
        notAfter = try object.takeInstant("notAfter", text)
        issuedAt = try object.takeInstant("issuedAt", text)
        unknownFields = object.unknownFields(text)
        faults += object.faults
    }
}

extension SerializedMediaToken: CustomStringConvertible {
    /// Nothing of the token.
    public var description: String { "media token, not verified" }
}
