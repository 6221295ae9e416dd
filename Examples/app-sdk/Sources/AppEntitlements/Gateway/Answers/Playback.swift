/// A play that has begun: the session that the media servers take in place of a media token.
public struct Playback: Sendable, Hashable {
    /// The resource.
    public let resource: String
    /// The provider that has permitted it.
    public let mvpd: String
    /// The playback session; send it with each request for a segment, as the media servers are set up to take it.
    public internal(set) var session: String
    /// When the session ends unless it is renewed, in milliseconds since the Unix epoch.
    public internal(set) var expires: Int64
    /// The latest end that renewals can reach, in milliseconds since the Unix epoch.
    public let ceiling: Int64
    /// Whether a rule of the operator has let the viewer in because the provider cannot be asked.
    public let isDegraded: Bool
    /// When temporary access ends, in milliseconds since the Unix epoch; `nil` for other access.
    public let temporaryUntil: Int64?
    /// How many further resources temporary access allows; `nil` if they are not counted.
    public let remainingResources: Int64?

    /// Reads the answer to a play; `nil` if there is no session in it.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - resource: The resource of the request.
    public init?(_ answer: GatewayAnswer, of resource: String) {
        guard let session = answer[text: "session"], let mvpd = answer[text: "mvpd"],
            let expires = answer[instant: "sessionExpires"], let ceiling = answer[instant: "sessionCeiling"]
        else { return nil }
        (self.resource, self.mvpd, self.session) = (resource, mvpd, session)
        (self.expires, self.ceiling) = (expires, ceiling)
        isDegraded = answer.body["degraded"]?.boolean ?? false
        temporaryUntil = answer.body["temporary"]?["until"]?.integer
        remainingResources = answer.body["temporary"]?["remainingResources"]?.integer
    }
}

extension Playback: CustomStringConvertible, CustomReflectable {
    /// The resource and the provider, not the session.
    public var description: String { "playback of \(resource) by \(mvpd)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
