#if Service
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// A page that the gateway shows to users: it loads nothing, and has no scripts; its icon is empty.
struct GatewayPage: Sendable {
    let title: String
    let content: HTML

    init(_ title: String, _ content: HTML) { (self.title, self.content) = (title, content) }

    /// The answer that shows the page, with a policy that keeps scripts and frames out.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        // Not `no-referrer`: browsers would then send the page's form with `Origin: null`, as if of another site.
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .referrerPolicy: "same-origin",
            .contentSecurityPolicy: Self.policy,
        ]
        fields[.xContentTypeOptions] = "nosniff"
        return Response(
            status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: document.text)))
    }

    /// No page of another site may put this one into a frame, where its user would not see what is confirmed.
    ///
    /// `form-action` is left out: browsers also apply it to the address that the form's answer redirects to, which is the
    /// provider's.
    private static let policy: String = {
        let hash = Array(style.text.utf8).withSpan { try? Digest.sha256.hash($0, in: 0..<$0.count) }
        let source = hash.map { " 'sha256-\(Base64.encode($0))'" } ?? ""
        return "default-src 'none'; style-src\(source.isEmpty ? " 'none'" : source); img-src data:; base-uri 'none'; "
            + "frame-ancestors 'none'"
    }()

    private var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark"><title>\(title)</title>
        <link rel="icon" href="data:,"><style>\(Self.style)</style></head><body>
        <main><h1>\(title)</h1>
        \(content)
        </main></body></html>

        """
    }

    private static let style: HTML = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --accent: #0a5cc2;
          --on-accent: #fff; --bad: #b3261e; --wash: #f6f8fa }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9aa4af;
          --accent: #6cb0ff; --on-accent: #06121f; --bad: #ff8a80; --wash: #161b22 } }
        * { box-sizing: border-box }
        body { margin: 0; font: 1.0625rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
        main { max-width: 30rem; margin: 0 auto; padding: 1rem 1rem 3rem }
        h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere }
        p { margin: .75rem 0 } a { color: var(--accent) } .quiet { color: var(--quiet) }
        fieldset { border: 0; margin: 1rem 0; padding: 0 } legend, label { font-weight: 600; padding: 0 }
        .choices label { display: flex; align-items: center; gap: .75rem; min-height: 2.75rem; font-weight: 400 }
        input[type=radio] { margin: 0; width: 1.25rem; height: 1.25rem; accent-color: var(--accent) }
        input[type=text] { display: block; width: 100%; margin-top: .375rem; padding: .5rem .75rem; font: inherit;
          font-size: 1.5rem; letter-spacing: .15em; text-transform: uppercase; color: inherit;
          background: var(--paper); border: 2px solid var(--quiet); border-radius: .5rem }
        button { width: 100%; min-height: 3rem; margin-top: 1rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
          color: var(--on-accent); background: var(--accent); border: 0; border-radius: .5rem; cursor: pointer }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        .alert { padding: .5rem .75rem; border-left: 4px solid var(--bad); background: var(--wash); color: var(--bad) }
        .device { padding: .75rem 1rem; border-radius: .5rem; background: var(--wash); overflow-wrap: anywhere }
        """
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
}

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
