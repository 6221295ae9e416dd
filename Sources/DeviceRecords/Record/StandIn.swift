public import EntitlementValues

// STAND-IN for the types of BrokerMessages, until they are merged.

/// The credentials of a registration.
public struct ClientCredentials: Sendable, Hashable {
    /// The client's ID.
    public let clientID: String
    /// The client's secret.
    public let clientSecret: String

    /// Makes credentials.
    public init(clientID: String, clientSecret: String) { (self.clientID, self.clientSecret) = (clientID, clientSecret) }
}

/// An access token.
public struct AccessToken: Sendable, Hashable {
    /// Its text.
    public let text: String
    /// When it was made.
    public let createdAt: Timestamp
    /// When it ends.
    public let expires: Timestamp

    /// Makes a token.
    public init(text: String, createdAt: Timestamp, expires: Timestamp) {
        (self.text, self.createdAt, self.expires) = (text, createdAt, expires)
    }
}
