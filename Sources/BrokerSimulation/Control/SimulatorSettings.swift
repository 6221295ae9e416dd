#if Client

/// How a simulator behaves, whatever its world is.
public struct SimulatorSettings: Sendable, Hashable {
    /// What happens when a browser opens the address for the login.
    public enum Login: Sendable, Hashable {
        /// It is sent to the login page, `/sim/login?code=…`, which a listener serves.
        case form
        /// This user is signed in at once, and the browser sent back to the application.
        case automatic(user: String)
    }

    /// The start of ids, codes and secrets, which are the same in each run then; `nil` for random ones.
    ///
    /// Keys are always random.
    public var seed: UInt64?
    /// What happens when a browser opens the address for the login.
    public var login = Login.automatic(user: "ok")
    /// How requests are limited.
    public var throttle = ThrottleMode.off
    /// Whether missing and malformed header fields are noted in the journal instead of refused.
    public var isLenient = false
    /// Whether a request may ask for a scenario with the header `X-Sim-Scenario`.
    public var allowsRequestScenarios = false

    /// How many clients, and how many counts of temporary access, are remembered; of more, the oldest are forgotten.
    package var rememberedClients = 100_000

    /// Makes the standard settings: strict, automatic login of `ok`, no limit of requests.
    public init() {}
}
#endif
