public import EntitlementValues
public import ServiceResponses
package import TextCodecs

/// The answer of registration (RFC 7591 §3.2.1): what an application on one device identifies itself with, for good.
///
/// Keep it: a client that registers again loses every profile of the device. The secret opens the broker's API, so neither
/// description nor mirror shows it.
public struct ClientCredentials: ServiceResponse, Hashable {
    /// The client.
    public let clientID: String
    /// When the credentials were issued; sent in seconds.
    public let issuedAt: Timestamp?
    /// Where user agents may return to.
    public let redirectURIs: [String]
    /// What the client may ask for access tokens with.
    public let grantTypes: [GrantType]
    /// What the client may ask the broker for.
    public let scopes: [AccessScope]
    /// Warnings about implausible times, which were taken as sent, and elements of lists that could not be read.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    private let redactedSecret: Redacted<String>

    /// The client's secret.
    public var clientSecret: String { redactedSecret.value }

    /// Makes an answer to be sent; the time of issue goes out in whole seconds.
    package init(
        clientID: String,
        clientSecret: String,
        issuedAt: Timestamp? = nil,
        redirectURIs: [String] = [],
        grantTypes: [GrantType] = [.clientCredentials],
        scopes: [AccessScope] = [.apiV2],
        unknownFields: [JSONField] = []
    ) {
        (self.clientID, redactedSecret, self.issuedAt) = (clientID, Redacted(clientSecret), issuedAt)
        (self.redirectURIs, self.grantTypes, self.scopes) = (redirectURIs, grantTypes, scopes)
        (faults, self.unknownFields) = ([], unknownFields)
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
        clientID = try body.requireIdentifier("client_id", bytes)
        redactedSecret = Redacted(try body.requireIdentifier("client_secret", bytes))
        issuedAt = try body.takeInstant("client_id_issued_at", bytes, in: .seconds)
        var faults = ResponseFaults()
        redirectURIs = try body.takeTexts("redirect_uris", bytes, faults: &faults) ?? []
        grantTypes = try body.takeTexts("grant_types", bytes, faults: &faults)?.map { GrantType($0) } ?? []
        scopes = try body.takeScopes("scopes", bytes)
        self.faults = body.faults + faults.first
        unknownFields = body.unknownFields(bytes)
    }
}

extension ClientCredentials: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("client_id", clientID)
        object.member("client_secret", clientSecret)
        if let issuedAt { object.member("client_id_issued_at", TimestampUnit.seconds.number(for: issuedAt)) }
        object.member("redirect_uris", redirectURIs)
        object.member("grant_types", grantTypes.map(\.rawValue))
        object.member("scopes", scopes.map(\.rawValue))
        object.members(unknownFields)
        return object
    }
}

extension ClientCredentials: CustomStringConvertible {
    /// When the credentials were issued, without the client and its secret.
    public var description: String { "client credentials" + (issuedAt.map { " of \($0)" } ?? "") }
}

extension BodyObject {
    /// A member that is a list of scopes; empty if it is absent.
    mutating func takeScopes(_ name: String, _ text: Span<UInt8>) throws(ServiceResponseError) -> [AccessScope] {
        guard let node = take(name) else { return [] }
        guard let scopes = AccessScope.list(node, text) else { throw .wrongType(path + name, expected: .names) }
        return scopes
    }
}

/// What a client may ask the broker for.
///
/// Upper and lower case are different.
public struct AccessScope: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a scope from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// REST API V2.
    public static let apiV2: AccessScope = "api:client:v2"

    /// Resets of temporary access.
    ///
    /// Source: tools of programmers that reset it. The statements of apps do not have it.
    public static let temporaryAccess: AccessScope = "temporary:passes:owner"

    /// Reads an array of strings, or one string with commas or spaces between the names; `nil` for anything else.
    static func list(_ node: JSONNode, _ text: Span<UInt8>) -> [AccessScope]? {
        if let names = node.string(text) {
            return names.utf8.split { $0 == UInt8(ascii: ",") || $0.isWhiteSpace }.map {
                AccessScope(String(Substring($0)))
            }
        }
        guard node.value.kind == .array else { return nil }
        var scopes: [AccessScope] = []
        for element in node.elements {
            guard let name = element.string(text) else { return nil }
            scopes.append(AccessScope(name))
        }
        return scopes
    }
}

/// What a client asks for an access token with.
public struct GrantType: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a grant type from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The client's own credentials (RFC 6749 §4.4).
    public static let clientCredentials: GrantType = "client_credentials"
}
