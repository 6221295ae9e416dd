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
