#if Client
public import MediaTokens
public import ServiceResponses

/// A media token as the broker sent it, or verified.
///
/// What is not verified is text: no function that wants a verified token takes it.
public enum PlaybackToken: Sendable {
    /// The signature was not looked at: hand the text to a service that does.
    case unverified(SerializedMediaToken)
    /// The token is good, and for this requestor, resource and provider.
    case verified(VerifiedMediaToken, SerializedMediaToken)

    /// The token's text as the broker sent it, in Base64.
    public var serialized: SerializedMediaToken {
        switch self {
        case .unverified(let token), .verified(_, let token): token
        }
    }

    /// The verified token; `nil` if the signature was not looked at.
    public var verified: VerifiedMediaToken? {
        guard case .verified(let token, _) = self else { return nil }
        return token
    }
}

extension PlaybackToken: CustomStringConvertible, CustomReflectable {
    /// Whether the token is verified, without the token.
    public var description: String { verified == nil ? "unverified media token" : "verified media token" }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
