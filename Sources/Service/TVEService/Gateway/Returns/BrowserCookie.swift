#if Service
import HTTPTypes
import Hummingbird

/// A cookie by which a user's browser is known again on the gateway's own pages; it names no device and no user.
enum BrowserCookie: String, Sendable {
    /// The browser came back from a provider's login.
    case returned = "__Host-tve_return"
    /// In the browser the user confirmed that a device is theirs.
    case confirmed = "__Host-tve_activation"
    /// The browser has a form of the activation page.
    case form = "__Host-tve_form"

    /// How long browsers keep it, in seconds: as long as a code is good.
    private static let seconds = 1800

    /// The value in the cookies of a request; `nil` if there is none.
    func value(in request: Request) -> String? {
        request.headers.cookies(named: rawValue).first
    }

    /// The header field that sets the cookie.
    ///
    /// `Lax` lets it come along when the provider's login sends the browser back here, and never with a form of a foreign
    /// page.
    func setting(_ value: String) -> HTTPField {
        HTTPField(
            name: .setCookie,
            value: "\(rawValue)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(Self.seconds)")
    }
}
#endif
