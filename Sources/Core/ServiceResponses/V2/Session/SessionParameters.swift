public import EntitlementValues
import TextCodecs

/// The parameters that an authentication session has.
public struct SessionParameters: Sendable, Hashable {
    /// The service provider that started the session.
    public let serviceProvider: RequestorID
    /// The provider, if one is chosen.
    public let mvpd: MVPDID?
    /// The application's domain; answers call it `domain` or `domainName`.
    public let domain: String?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]
    private let redactedRedirectURL: Redacted<String>?

    /// The address that the browser returns to.
    ///
    /// It may hold what the application put into it, so descriptions and mirrors do not show it.
    public var redirectURL: String? { redactedRedirectURL?.value }

    /// Makes parameters to be sent.
    package init(
        serviceProvider: RequestorID,
        mvpd: MVPDID? = nil,
        domain: String? = nil,
        redirectURL: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.serviceProvider, self.mvpd, self.domain) = (serviceProvider, mvpd, domain)
        (redactedRedirectURL, self.unknownFields) = (redirectURL.map { Redacted($0) }, unknownFields)
    }

    /// Reads them from a body, which calls them `existingParameters` or `existing`.
    init(of body: inout BodyObject, in text: Span<UInt8>) throws(ServiceResponseError) {
        var name = "existingParameters"
        var found = body.take(name)
        if found == nil {
            name = "existing"
            found = body.take(name)
        }
        guard let node = found else { throw body.refusal(text, missing: "existingParameters") }
        var object = try BodyObject(node, at: body.path + name)
        serviceProvider = RequestorID(try object.requireIdentifier("serviceProvider", text))
        mvpd = try object.takeIdentifier("mvpd", text).map(MVPDID.init)
        if let domain = try object.takeText("domain", text) {
            self.domain = domain
        } else {
            domain = try object.takeText("domainName", text)
        }
        redactedRedirectURL = try object.takeText("redirectUrl", text).map { Redacted($0) }
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("domain", ifPresent: domain)
        object.member("redirectUrl", ifPresent: redirectURL)
        object.member("serviceProvider", serviceProvider.rawValue)
        object.members(unknownFields)
        return object
    }
}

extension SessionParameters: CustomStringConvertible {
    /// The service provider and the provider.
    public var description: String {
        serviceProvider.rawValue.printable + (mvpd.map { " with \($0.rawValue.printable)" } ?? "")
    }
}
