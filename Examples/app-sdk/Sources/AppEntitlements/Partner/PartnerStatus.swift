/// What the sign-on partner of the device's system says: whether the viewer lets the app use the account, and its provider.
public struct PartnerStatus: Sendable, Hashable {
    /// Whether the viewer lets the app use the account.
    public enum Access: String, Sendable, Hashable, CaseIterable {
        case granted
        case denied
        case restricted
        case notDetermined
    }

    /// Whether the viewer lets the app use the account.
    public let access: Access
    /// The provider as the partner names it, its mapping id; `nil` if it does not say.
    public let provider: String?
    /// When what the partner knows of the provider ends, in milliseconds since the Unix epoch.
    public let expires: Int64?

    /// Describes a status.
    ///
    /// - Parameters:
    ///   - access: Whether the viewer lets the app use the account.
    ///   - provider: The provider's mapping id.
    ///   - expires: When what the partner knows ends, in milliseconds since the Unix epoch.
    public init(_ access: Access, provider: String? = nil, expires: Int64? = nil) {
        (self.access, self.provider, self.expires) = (access, provider, expires)
    }

    var json: JSONValue {
        var known: [String: JSONValue] = [:]
        known["id"] = provider.map(JSONValue.text)
        known["expirationDate"] = expires.map { .text(String($0)) }
        return .object([
            "frameworkPermissionInfo": .object(["accessStatus": .text(access.rawValue)]),
            "frameworkProviderInfo": .object(known),
        ])
    }

    /// The code of the operator's library for it; `nil` if access is granted.
    var code: StatusCode? {
        switch access {
        case .granted: nil
        case .denied, .restricted: .partnerPermissionDenied
        case .notDetermined: .partnerPermissionUndetermined
        }
    }
}

extension PartnerStatus: CustomStringConvertible, CustomReflectable {
    /// The words *status of the partner*: which provider a viewer has is not shown.
    public var description: String { "status of the partner" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
