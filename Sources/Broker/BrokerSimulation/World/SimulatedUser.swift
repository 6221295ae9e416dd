#if Client

/// A user of the providers.
public struct SimulatedUser: Sendable, Hashable {
    /// What is special about the user's profiles.
    public enum Behavior: String, Sendable, CaseIterable {
        /// Nothing.
        case ordinary
        /// Profiles are expired as soon as they are made.
        case expired
        /// The provider invalidates profiles as soon as they are made.
        case invalidated
        /// The provider takes its time for decisions.
        case slow
    }

    /// The name on the login page, which is also the name in control calls.
    public var name: String
    /// The id that providers give the user; its MD5 is the `sessionGUID` of media tokens.
    public var guid: String
    /// What is special about the user's profiles.
    public var behavior: Behavior
    /// The attributes besides `userID` and `mvpd`, in the order of the profile.
    public var attributes: [SimulatedAttribute]

    /// Makes a user.
    ///
    /// - Parameters:
    ///   - name: The name on the login page.
    ///   - guid: The id that providers give the user.
    ///   - behavior: What is special about the user's profiles.
    ///   - attributes: The attributes besides `userID` and `mvpd`.
    public init(
        _ name: String,
        guid: String,
        behavior: Behavior = .ordinary,
        attributes: [SimulatedAttribute] = []
    ) {
        (self.name, self.guid, self.behavior, self.attributes) = (name, guid, behavior, attributes)
    }
}

/// An attribute of a user that providers share.
public struct SimulatedAttribute: Sendable, Hashable {
    /// The name, for example `zip`.
    public var name: String
    /// The value as JSON: a string, a list or a map.
    public var json: String
    /// Whether it is encrypted for the brand's certificate.
    public var isEncrypted: Bool

    /// Makes an attribute.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - json: The value as JSON; a world with anything else is refused.
    ///   - isEncrypted: Whether it is encrypted for the brand's certificate.
    public init(_ name: String, json: String, isEncrypted: Bool = false) {
        (self.name, self.json, self.isEncrypted) = (name, json, isEncrypted)
    }
}
#endif
