#if Service
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension GatewayPage {
    /// The page on which a user types the code of a device.
    ///
    /// The form is bound to the browser. The alert says what went wrong; `nil` at first.
    init(typingCodeIn form: ActivationForm, alert: String? = nil) {
        self.init(
            "Sign in on your device",
            """
            \(Self.notice(alert))<form method="post" action="/activate">
            <input type="hidden" name="token" value="\(form.token)">
            <label for="code">Code on your device</label>
            <input type="text" id="code" name="code" required maxlength="16" autocomplete="off" autocapitalize="characters"
              spellcheck="false" inputmode="text">
            <button>Continue</button></form>
            """)
    }

    /// The page on which a user confirms that a device is theirs, and chooses a provider.
    ///
    /// If a provider is chosen already, there are none to choose from, and `chosen` is what it is called. The form is
    /// bound to the browser. The alert says what went wrong; `nil` at first.
    init(
        confirming device: ShownDevice,
        from providers: [MVPD],
        or chosen: String?,
        in form: ActivationForm,
        at now: Timestamp,
        alert: String? = nil
    ) {
        let age = Self.age(of: device.asked, at: now)
        self.init(
            "Is this your device?",
            """
            \(Self.notice(alert))<p class="device"><strong>\(device.name)</strong><br>\
            <span class="quiet">asked for a code \(age)</span></p>
            <p>Go on only if this device is yours, and you have just read the code on it. The person who holds it can watch \
            with your account.</p>
            <form method="post" action="/activate">
            <input type="hidden" name="token" value="\(form.token)">
            <input type="hidden" name="code" value="\(device.code.text)">
            <input type="hidden" name="confirmed" value="yes">
            \(Self.picker(providers, chosen))
            <button>Yes, sign in on this device</button></form>
            <p><a href="/activate">No, this is not my device</a></p>
            """)
    }

    private static func picker(_ providers: [MVPD], _ chosen: String?) -> HTML {
        if let chosen { return "<p>Provider: <strong>\(chosen)</strong></p>" }
        let choices = providers.map { mvpd -> HTML in
            """
            <label><input type="radio" name="mvpd" value="\(mvpd.id.rawValue)" required>\(mvpd.nameForPeople)</label>
            """
        }
        return "<fieldset class=\"choices\"><legend>Your provider</legend>\(choices)</fieldset>"
    }

    private static func notice(_ alert: String?) -> HTML {
        guard let alert else { return "" }
        return "<p class=\"alert\" role=\"alert\">\(alert)</p>\n"
    }

    /// How long ago something was, in words.
    private static func age(of instant: Timestamp, at now: Timestamp) -> String {
        let minutes = max(0, now.since(instant).milliseconds / 60_000)
        switch minutes {
        case 0: return "less than a minute ago"
        case 1: return "a minute ago"
        default: return "\(minutes) minutes ago"
        }
    }
}

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
