import ServiceResponses
import TextCodecs

/// The request to sign in with the device's sign-on partner, `POST sessions/sso/{partner}`.
public struct PartnerSessionRequest: BrokerRequest {
    /// `application/x-www-form-urlencoded`.
    public static let mediaType = FormFields.mediaType

    /// The domain of the application, one of those that the operator knows.
    public let domain: String?
    /// Where the user agent returns to if the partner cannot sign the user in.
    public let redirect: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - domain: The domain of the application.
    ///   - redirect: Where the user agent returns to, as it is: the form is encoded once, here.
    public init(domain: String? = nil, redirect: String? = nil) {
        (self.domain, self.redirect) = (domain, redirect)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, a form.
    /// - Throws: `BrokerRequestError`.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        let form = try BrokerRequestError.form(bytes)
        domain = form["domainName"]
        redirect = form["redirectUrl"]
    }

    /// Writes the body.
    ///
    /// - Returns: A form.
    public func encoded() -> [UInt8] {
        var form = FormFields()
        form.append("domainName", domain)
        form.append("redirectUrl", redirect)
        return form.encoded()
    }
}

/// The request to make a profile of a sign-on partner's answer, `POST profiles/sso/{partner}`.
///
/// The answer signs a user in, so neither description nor mirror shows it.
public struct PartnerProfileRequest: BrokerRequest {
    /// `application/x-www-form-urlencoded`.
    public static let mediaType = FormFields.mediaType
    /// The longest answer of a partner, in bytes.
    public static let maximumLength = 1 << 18

    private let redactedResponse: Redacted<String>

    /// The partner's SAML answer as it is sent: Base64 without white space.
    public var samlResponse: String { redactedResponse.value }

    /// Makes a request.
    ///
    /// - Parameter xml: The text of the partner's SAML answer, as the device's framework hands it over. It becomes
    ///   Base64 here, and only once.
    /// - Throws: `.missing` if there is nothing but white space, `.tooLarge`.
    public init(samlXML xml: String) throws(BrokerRequestError) {
        guard xml.utf8.count <= Self.maximumLength else { throw .tooLarge(limit: Self.maximumLength) }
        let bytes = xml.withBytes { text in text.trimmingWhiteSpace(0..<text.count).map { text[$0] } }
        guard !bytes.isEmpty else { throw .missing(.root + "SAMLResponse") }
        redactedResponse = Redacted(Base64.encode(bytes))
    }

    /// Makes a request.
    ///
    /// - Parameter samlResponse: The partner's SAML answer in Base64; line breaks in it are removed.
    /// - Throws: `.missing` if it is empty, `.wrongType` if it is not Base64, `.tooLarge`.
    public init(samlResponse: String) throws(BrokerRequestError) {
        guard samlResponse.utf8.count <= Self.maximumLength * 2 else { throw .tooLarge(limit: Self.maximumLength) }
        let symbols = samlResponse.utf8.filter { !$0.isWhiteSpace }
        let place = JSONLocation.root + "SAMLResponse"
        guard !symbols.isEmpty else { throw .missing(place) }
        guard let xml = Base64.decode(symbols, options: .canonical), !xml.isEmpty else {
            throw .wrongType(place, reason: "\(place) is not Base64 (RFC 4648 §4)")
        }
        guard xml.count <= Self.maximumLength else { throw .tooLarge(limit: Self.maximumLength) }
        redactedResponse = Redacted(String(decoding: symbols, as: UTF8.self))
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, a form.
    /// - Throws: `BrokerRequestError`.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        try self.init(samlResponse: try BrokerRequestError.form(bytes).required("SAMLResponse"))
    }

    /// Writes the body.
    ///
    /// - Returns: A form.
    public func encoded() -> [UInt8] {
        var form = FormFields()
        form.append("SAMLResponse", samlResponse)
        return form.encoded()
    }
}

extension PartnerProfileRequest: CustomStringConvertible {
    /// What is asked for, without the partner's answer.
    public var description: String { "request for a partner's profile" }
}
