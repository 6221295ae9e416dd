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

    /// The value of the header field that sets the cookie.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - seconds: How long the browser keeps it.
    /// - Returns: The value; `nil` if browsers would drop the cookie, because it is too long.
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
#endif
