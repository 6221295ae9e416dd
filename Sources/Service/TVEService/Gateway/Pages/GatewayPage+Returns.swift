#if Service
import TextCodecs

/// What is said to a user whose browser came back.
enum ReturnNotice: Sendable {
    case goBack
    case signedOut
    case activated(String?)
    case notSignedIn(String?)
    case ended
    case tryAgain
}

extension GatewayPage {
    /// The page that a browser finds that came back.
    init(_ notice: ReturnNotice) {
        switch notice {
        case .goBack: self.init("You may go back", "<p>You may close this page, and go back to the app.</p>")
        case .signedOut: self.init("You are signed out", "<p>You may close this page.</p>")
        case .activated(let device):
            self.init(
                "You are signed in",
                "<p>You are signed in on \(device ?? "your device").</p><p>You may close this page.</p>")
        case .notSignedIn(let device):
            self.init(
                "You are not signed in yet",
                """
                <p>The provider has not said that you are signed in. If you have just signed in there, look at \
                \(device ?? "your device"): it can take a few seconds.</p>
                <p>Otherwise <a href="/activate">type the code again</a>.</p>
                """)
        case .tryAgain:
            self.init(
                "One moment, please",
                "<p>This does not work at the moment. Wait a little, and load this page once more.</p>")
        case .ended:
            self.init(
                "This sign-in is over",
                "<p>It was used, has ended, or was begun on another device. Start again on your own device.</p>")
        }
    }
}
#endif
