#if Client
public import EntitlementValues
public import MediaTokens
public import ServiceResponses
import TextCodecs

/// The answer to a request for authorization.
public enum AuthorizationOutcome: Sendable {
    /// The user may watch.
    case permitted(AuthorizedPlayback)
    /// The user may not watch.
    case denied(AuthorizationDenial)
    /// The user has to sign in first; the decision follows by itself.
    case needsAuthentication(AuthenticationStep, pending: PendingAuthorization)
}

/// The right to start one playback now.
///
/// Neither description nor mirror shows the token.
public struct AuthorizedPlayback: Sendable {
    /// The resource, as it was asked for.
    public let resource: ResourceID
    /// The provider that decided.
    public let mvpd: MVPDID
    /// Who decided; `degradation` and `temppass` tell the special cases.
    public let source: DecisionSource?
    /// The first instant at which the decision does not hold anymore; `nil` if the broker did not say.
    ///
    /// A playback that has begun goes on after that, except under temporary access, which the broker does not cut off:
    /// that is the application's duty.
    public let until: Timestamp?
    /// The media token: verified, and used up if a store was configured.
    public let token: PlaybackToken
    /// Whether the broker answered from memory: its decision was older than the question.
    public let isCached: Bool

    /// Describes the right to start a playback.
    ///
    /// - Parameters:
    ///   - resource: The resource, as it was asked for.
    ///   - mvpd: The provider that decided.
    ///   - source: Who decided.
    ///   - until: The first instant at which the decision does not hold anymore.
    ///   - token: The media token.
    ///   - isCached: Whether the broker answered from memory.
    public init(
        of resource: ResourceID,
        mvpd: MVPDID,
        source: DecisionSource?,
        until: Timestamp?,
        token: PlaybackToken,
        isCached: Bool
    ) {
        (self.resource, self.mvpd, self.source, self.until) = (resource, mvpd, source, until)
        (self.token, self.isCached) = (token, isCached)
    }
}

extension AuthorizedPlayback: CustomStringConvertible, CustomReflectable {
    /// The resource, the provider, and whether the token is verified.
    public var description: String {
        "\(resource.rawValue.printable) by \(mvpd.rawValue.printable): permitted, \(token)"
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

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
