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
    /// Access tokens issued before this second are not taken anymore; `nil` if all are.
    var tokensValidFrom: Timestamp?
}
#endif
