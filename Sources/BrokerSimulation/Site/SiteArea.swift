#if Client

/// The parts of a simulator's site besides the broker.
enum SiteArea: Sendable, Hashable {
    /// The overview at `/`, for people at this machine.
    case overview
    /// Pages of a sign-in, which browsers of other devices open, too.
    case signIn
    /// What stands for the provider's logout page.
    case logout
    /// Control calls, for programs at this machine.
    case control

    /// The part that a path belongs to.
    ///
    /// - Parameter path: The path without a query; `nil` is returned for a path of the broker.
    init?(path: Substring) {
        switch path {
        case "/", "": self = .overview
        case "/sim/login", "/sim/activate", "/sim/style.css": self = .signIn
        case _ where path.hasPrefix("/sim/logout/"): self = .logout
        case "/sim": self = .control
        case _ where path.hasPrefix("/sim/"): self = .control
        default: return nil
        }
    }
}
#endif
