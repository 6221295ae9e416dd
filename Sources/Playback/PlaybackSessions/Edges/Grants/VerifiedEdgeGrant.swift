/// A grant whose signature, time, paths and client were found to be good.
public struct VerifiedEdgeGrant: Sendable, Hashable {
    /// What the client may fetch.
    public let grant: EdgeGrant
    /// The name of the key that signed it.
    public let keyID: String
}
