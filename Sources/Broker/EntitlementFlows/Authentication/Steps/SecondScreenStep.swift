#if Client
public import ServiceResponses

/// What a second screen does for the device whose code the user has typed.
public enum SecondScreenStep: Sendable, Hashable {
    /// The user chooses a provider; the device is the one that shows the code, as far as the broker says.
    case chooseProvider(ProviderChoice, for: SessionDevice?)
    /// The user's browser signs in at the provider.
    case openUserAgent(UserAgentVisit)
    /// Nothing has to be done: the other device finds its user signed in.
    case done(SessionReason)
    /// The broker wants parameters that a second screen does not have.
    case incomplete([MissingParameter])
}
#endif
