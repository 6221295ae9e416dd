public import EntitlementValues
public import ServiceResponses
package import TextCodecs

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

/// The answer of the token endpoint (RFC 6749 §5.1): what requests to the broker carry until it ends.
///
/// One answer has two units: `created_at` is in milliseconds and `expires_in` in seconds. The token opens the broker's
/// API, so neither description nor mirror shows it.
public struct AccessToken: ServiceResponse, Hashable {
    /// The longest life that a token can plausibly have; a number that is longer was usually sent in milliseconds.
    public static let longestPlausibleLife = TimeToLive.hours(24 * 31)

    /// The broker's identifier of the token.
    public let id: String?
    /// When the token was made.
    public let createdAt: Timestamp
    /// How long the token lives from then on.
    public let lifetime: TimeToLive
    /// The token's type, `bearer` as a rule.
    public let type: String?
    /// The header that carries the token.
    public let bearer: BearerToken
    /// Warnings about implausible times, which were taken as sent.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// When the token ends.
    public var expires: Timestamp { createdAt + lifetime }

    /// Makes an answer to be sent; the lifetime goes out in whole seconds.
    package init(
        _ bearer: BearerToken,
        id: String? = nil,
        createdAt: Timestamp,
        lifetime: TimeToLive,
        type: String? = "bearer",
        unknownFields: [JSONField] = []
    ) {
        (self.bearer, self.id, self.createdAt, self.lifetime) = (bearer, id, createdAt, lifetime)
        (self.type, faults, self.unknownFields) = (type, [], unknownFields)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        try self.init(BodyObject(body: bytes), bytes)
    }

    /// Reads a body that is part of a larger text, `bytes`.
    ///
    /// Throws if the body is not this response.
    package init(_ body: BodyObject, _ bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = body
        let token = try body.requireIdentifier("access_token", bytes)
        guard let bearer = try? BearerToken(token) else {
            throw .wrongType(body.path + "access_token", expected: .bearerToken)
        }
        self.bearer = bearer
        id = try body.takeText("id", bytes)
        createdAt = try body.requireInstant("created_at", bytes)
        lifetime = try body.requireSeconds("expires_in", bytes)
        type = try body.takeText("token_type", bytes)
        let isPlausible = lifetime <= Self.longestPlausibleLife
        faults = body.faults + (isPlausible ? [] : [.badTimestamp(body.path + "expires_in", .implausibleSeconds)])
        unknownFields = body.unknownFields(bytes)
    }
}

extension AccessToken: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", ifPresent: id)
        object.member("access_token", bearer.text)
        object.member("created_at", createdAt.milliseconds)
        object.member("expires_in", lifetime.milliseconds / 1000)
        object.member("token_type", ifPresent: type)
        object.members(unknownFields)
        return object
    }
}

extension AccessToken: CustomStringConvertible {
    /// When the token ends, without the token.
    public var description: String { "access token until \(expires)" }
}
