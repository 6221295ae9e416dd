import EntitlementValues
import TextCodecs

/// What the device's single sign-on partner is to be asked, so that it vouches for the user.
public struct PartnerAuthenticationRequest: Sendable, Hashable {
    /// The form of the request, `saml`.
    public let type: String
    /// The names of the attributes that the partner is to answer with.
    public let attributeNames: [String]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]
    private let redactedRequest: Redacted<String>

    /// The request as it was sent: XML in Base64.
    ///
    /// Hand it to the partner's framework unchanged. It names the user's login, so descriptions and mirrors do not
    /// show it.
    public var request: String { redactedRequest.value }

    /// The request itself, XML in UTF-8; `nil` if it is not Base64.
    public var xml: [UInt8]? { Base64.decode(Array(request.utf8), options: [.transported, .unpadded]) }

    /// Makes a request to be sent, which is XML in Base64.
    package init(
        type: String = "saml",
        request: String,
        attributeNames: [String] = [],
        unknownFields: [JSONField] = []
    ) {
        (self.type, redactedRequest) = (type, Redacted(request))
        (self.attributeNames, self.unknownFields) = (attributeNames, unknownFields)
    }

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        in text: Span<UInt8>,
        faults: inout ResponseFaults
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        type = try object.requireIdentifier("type", text)
        redactedRequest = Redacted(try object.requireIdentifier("request", text))
        attributeNames = try object.takeTexts("attributesNames", text, faults: &faults) ?? []
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("type", type)
        object.member("request", request)
        object.member("attributesNames", attributeNames)
        object.members(unknownFields)
        return object
    }
}

extension PartnerAuthenticationRequest: CustomStringConvertible {
    /// The form of the request, without the request.
    public var description: String { "\(type.printable) request to the partner" }
}
