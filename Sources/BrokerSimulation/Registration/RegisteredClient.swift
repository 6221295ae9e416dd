#if Client
import EntitlementValues

/// An instance of an application that was registered.
struct RegisteredClient: Sendable, Hashable {
    let id: String
    let secret: String
    /// The id of the software statement with which it was registered.
    let statement: String
    let requestor: RequestorID
    let scopes: [String]
    let redirectURIs: [String]
    let issued: Timestamp
    var isRevoked = false
    /// How often all access tokens were made to end; only those of the current generation are taken.
    ///
    /// Instants would not do: a token can be issued and ended within one second, and the clock can be set back.
    var generation: Int64 = 0
}
#endif
