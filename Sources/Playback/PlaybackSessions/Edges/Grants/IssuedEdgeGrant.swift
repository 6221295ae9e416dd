/// A grant in a form that an edge checks.
///
/// Its description shows nothing that opens a stream.
public struct IssuedEdgeGrant: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// What the edge lets the client fetch.
    public let grant: EdgeGrant
    /// The query parameters that carry it.
    ///
    /// A player adds them to every request: see ``PlaylistRewriter``.
    public let parameters: [EdgeField]
    /// The cookies that carry it; empty if the edge takes none.
    public let cookies: [EdgeField]
    /// What stands before the path instead of parameters; `nil` if the edge takes no such thing.
    ///
    /// Relative addresses in playlists inherit it by themselves.
    public let pathPrefix: String?

    /// The name of the form.
    public var description: String { "a grant for \(grant.path)" }

    /// Shows the paths only.
    public var customMirror: Mirror { Mirror(self, children: ["path": grant.path.text]) }
}
