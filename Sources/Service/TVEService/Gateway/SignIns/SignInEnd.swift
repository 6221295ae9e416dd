#if Service
/// Why a sign-in ended without a user who is signed in.
package enum SignInEnd: String, Sendable, Hashable {
    /// The app gave it up, or began another one.
    case cancelled
    /// Its code ended before the user signed in.
    case codeEnded = "code_ended"
    /// The browser came back, and the provider had signed no user in.
    case notSignedIn = "not_signed_in"
    /// The device did not prove in time that the browser had come back to it, two browsers came back, or a user signed in
    /// with a code that no user had confirmed.
    case notProved = "return_not_proved"
}
#endif
