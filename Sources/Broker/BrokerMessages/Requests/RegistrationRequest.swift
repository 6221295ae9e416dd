import TextCodecs

/// The request for client credentials, `POST /o/client/register`.
public struct RegistrationRequest: BrokerRequest {
    /// `application/json;charset=utf-8`.
    public static let mediaType = "application/json;charset=utf-8"

    /// The application's software statement.
    public let statement: SoftwareStatement
    /// Where the user agent returns to; some statements require it.
    public let redirectURI: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - statement: The application's software statement.
    ///   - redirectURI: Where the user agent returns to.
    public init(statement: SoftwareStatement, redirectURI: String? = nil) {
        (self.statement, self.redirectURI) = (statement, redirectURI)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON.
    /// - Throws: `BrokerRequestError`; `.badStatement` if the statement is not one.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        let object = try BrokerRequestError.object(bytes)
        let statement = try BrokerRequestError.mapping(
            object.required("software_statement", try object.string("software_statement", in: bytes)))
        self.statement = try SoftwareStatement(statement)
        redirectURI = try BrokerRequestError.mapping(object.string("redirect_uri", in: bytes))
    }

    /// Writes the body.
    ///
    /// - Returns: JSON.
    public func encoded() -> [UInt8] {
        var object = JSONWriter()
        object.member("software_statement", statement.text)
        if let redirectURI { object.member("redirect_uri", redirectURI) }
        return object.finished
    }
}
