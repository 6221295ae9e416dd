#if Service
/// What an app does about an answer that is not the one it asked for.
package enum GatewayAction: String, Sendable, CaseIterable {
    /// Ask again, later: after `Retry-After` if the answer has it.
    case retry
    /// Let the user sign in: `POST /v1/authentication`, or a new device if the token is not good any more.
    case signIn = "sign_in"
    /// Let the user choose a provider.
    case chooseProvider = "choose_provider"
    /// Show the message of the provider, or a text of the app's own.
    case showMessage = "show_message"
    /// Nothing: the request itself is at fault, or asking again changes nothing.
    case none
}
#endif
