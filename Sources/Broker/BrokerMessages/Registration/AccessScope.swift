public import EntitlementValues
import ServiceResponses
import TextCodecs

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
