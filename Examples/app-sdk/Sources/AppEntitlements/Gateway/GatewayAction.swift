/// What an app does about a refusal, so that it needs no table of codes.
public enum GatewayAction: String, Sendable, Hashable, CaseIterable {
    /// Asks again, after `Retry-After` if the answer has it.
    case retry
    /// Lets the viewer sign in.
    case signIn = "sign_in"
    /// Lets the viewer choose a provider.
    case chooseProvider = "choose_provider"
    /// Shows the provider's message, or a text of its own.
    case showMessage = "show_message"
    /// Nothing: asking again changes nothing.
    case none
}
