#if Client
/// How much a call matters when calls of one client address have to wait for each other.
public enum RequestPriority: String, Sendable, Hashable, CaseIterable {
    /// A user waits for the answer.
    case foreground
    /// The call is made again and again, so that one may be left out: it never waits, and takes nothing that a
    /// foreground call needs.
    case polling
}
#endif
