#if Client
import EntitlementValues

/// What a request comes to, once all is decided and remembered.
///
/// Signing takes longer than everything else, and needs nothing that could change: it is done when the simulator's state
/// is free again.
enum Plan: Sendable {
    case reply(Reply)
    case accessToken(AccessTokenOrder)
    /// Decisions, with what the media token of each says; `isForPlayback` says whether there are such tokens.
    case decisions([(verdict: Verdict, order: MediaTokenOrder)], isForPlayback: Bool)
}

/// Everything that an access token says.
struct AccessTokenOrder: Sendable, Hashable {
    let client: RegisteredClient
    let id: String
    let issued: Timestamp
    let lifetime: TimeToLive
}
#endif
