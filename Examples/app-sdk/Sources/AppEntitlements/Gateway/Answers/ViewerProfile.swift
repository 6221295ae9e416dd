/// Who is signed in, as far as the gateway lets the app see it.
public struct ViewerProfile: Sendable, Hashable {
    /// The provider.
    public let mvpd: String
    /// When the sign-in ends, in milliseconds since the Unix epoch.
    public let until: Int64
    /// The attributes that `broker.apps.ID.attributes` names, decrypted.
    public let attributes: [String: JSONValue]
    /// The attributes that the gateway has no key for.
    public let unreadable: [String]
    /// Whether a rule of the operator has signed the viewer in because the provider cannot be asked.
    public let isDegraded: Bool
    /// Whether access is temporary.
    public let isTemporary: Bool

    /// Reads the answer to ``GatewayCall/profile(refreshing:)``; `nil` if it is another one.
    public init?(_ answer: GatewayAnswer) {
        guard answer.code == "profile", let mvpd = answer[text: "mvpd"], let until = answer[instant: "until"] else {
            return nil
        }
        (self.mvpd, self.until) = (mvpd, until)
        attributes = answer.body["attributes"]?.members ?? [:]
        unreadable = answer[texts: "unreadable"]
        isDegraded = answer.body["degraded"]?.boolean ?? false
        isTemporary = answer.body["temporary"] != nil
    }
}

extension ViewerProfile: CustomStringConvertible, CustomReflectable {
    /// The provider, not the attributes.
    public var description: String { "profile at \(mvpd)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
