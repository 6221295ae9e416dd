#if Service
import HTTPTypes
import Hummingbird

/// The cookie that holds a device token, for web apps of the same site.
///
/// Its prefix makes browsers accept it from this host alone, over TLS, for all paths. `Lax` lets it come along when the
/// provider's login sends the browser back here, and never in a request that a foreign page makes by itself.
enum DeviceCookie {
    static let name = "__Host-tve_device"
    /// Browsers keep cookies of up to so many bytes, name and value together (RFC 6265bis §5.6).
    private static let maximumLength = 4096
    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

    /// The value of the header field that sets the cookie; `nil` if browsers would drop it, because it is too long.
    ///
    /// `text` is the token, and `seconds` how long the browser keeps it.
    static func setting(_ text: String, seconds: Int64) -> String? {
        guard name.utf8.count + text.utf8.count <= maximumLength else { return nil }
        return "\(name)=\(text); \(attributes); Max-Age=\(seconds)"
    }

    /// The value of the header field that removes the cookie.
    static let removal = "\(name)=; \(attributes); Max-Age=0"

    /// The token in the cookies of a request; `nil` if there is none.
    static func token(in request: Request) -> String? {
        request.headers.cookies(named: name).first
    }
}

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
