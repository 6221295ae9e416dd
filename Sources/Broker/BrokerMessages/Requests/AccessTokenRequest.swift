import ServiceResponses
import TextCodecs

/// The request for an access token, `POST /o/client/token`.
///
/// It holds the client's secret, so neither description nor mirror shows it.
public struct AccessTokenRequest: BrokerRequest {
    /// `application/x-www-form-urlencoded`.
    public static let mediaType = FormFields.mediaType

    /// The client.
    public let clientID: String
    /// What the client asks with.
    public let grantType: GrantType

    private let redactedSecret: Redacted<String>

    /// The client's secret.
    public var clientSecret: String { redactedSecret.value }

    /// Makes a request.
    ///
    /// - Parameter credentials: The client's credentials.
    public init(_ credentials: ClientCredentials) {
        clientID = credentials.clientID
        redactedSecret = Redacted(credentials.clientSecret)
        grantType = .clientCredentials
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, a form.
    /// - Throws: `BrokerRequestError`.
    public init(parsing bytes: Span<UInt8>) throws(BrokerRequestError) {
        let form = try BrokerRequestError.form(bytes)
        clientID = try form.required("client_id")
        redactedSecret = Redacted(try form.required("client_secret"))
        grantType = GrantType(try form.required("grant_type"))
    }

    /// Writes the body.
    ///
    /// - Returns: A form.
    public func encoded() -> [UInt8] {
        var form = FormFields()
        form.append("client_id", clientID)
        form.append("client_secret", clientSecret)
        form.append("grant_type", grantType.rawValue)
        return form.encoded()
    }
}

extension AccessTokenRequest: CustomStringConvertible {
    /// What is asked for, without the client and its secret.
    public var description: String { "request for an access token" }
}
