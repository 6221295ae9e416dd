public import EntitlementValues
import TextCodecs

/// The request to start an authentication session or to complete one, `POST sessions` and `POST sessions/{code}`.
///
/// What is missing can be given later, by a second screen for example.
public struct SessionRequest: BrokerRequest {
    /// `application/x-www-form-urlencoded`.
    public static let mediaType = FormFields.mediaType

    /// The provider to sign in at.
    public let mvpd: MVPDID?
    /// The domain of the application, one of those that the operator knows.
    public let domain: String?
    /// Where the user agent returns to.
    public let redirect: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - mvpd: The provider to sign in at.
    ///   - domain: The domain of the application.
    ///   - redirect: Where the user agent returns to, as it is: the form is encoded once, here.
    public init(mvpd: MVPDID? = nil, domain: String? = nil, redirect: String? = nil) {
        (self.mvpd, self.domain, self.redirect) = (mvpd, domain, redirect)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, a form.
    /// - Throws: `BrokerRequestError`.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        let form = try BrokerRequestError.form(bytes)
        mvpd = form["mvpd"].map { MVPDID($0) }
        domain = form["domainName"]
        redirect = form["redirectUrl"]
    }

    /// Writes the body.
    ///
    /// - Returns: A form.
    public func encoded() -> [UInt8] {
        var form = FormFields()
        form.append("mvpd", mvpd?.rawValue)
        form.append("domainName", domain)
        form.append("redirectUrl", redirect)
        return form.encoded()
    }
}
