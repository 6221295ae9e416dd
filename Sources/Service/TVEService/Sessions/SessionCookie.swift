#if Service
import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// The cookie that holds a playback session: its name, and where browsers send it.
struct SessionCookie: Sendable {
    enum SameSite: String, Sendable, CaseIterable {
        case strict, lax, none

        /// The spelling of RFC 6265bis §4.1.2.7.
        fileprivate var attribute: String {
            switch self {
            case .strict: "Strict"
            case .lax: "Lax"
            case .none: "None"
            }
        }
    }

    /// The name with the prefix by which browsers guard it: `__Host-` where the cookie is for this host and all paths.
    private let guardedName: String
    /// Whether all resources share one cookie: then a second channel ends the first one's play.
    let isShared: Bool
    let path: String
    let domain: String?
    let sameSite: SameSite

    /// Browsers keep cookies of up to so many bytes, name and value together (RFC 6265bis §5.6).
    static let maximumLength = 4096

    /// Reads the settings of the cookie.
    init(from reader: inout SettingsReader) {
        let name = reader.text("sessions.cookie") ?? "tve_session"
        isShared = reader.bool("sessions.sharedCookie")
        path = reader.text("sessions.cookiePath") ?? "/"
        domain = reader.text("sessions.cookieDomain")
        sameSite = reader.choice("sessions.sameSite", default: .lax)
        let hasPrefix = name.hasPrefix("__Host-") || name.hasPrefix("__Secure-")
        guardedName = hasPrefix ? name : (path == "/" && domain == nil ? "__Host-" : "__Secure-") + name
        if !name.utf8.allSatisfy(\.isInCookieName) {
            reader.report(.badValue, of: "sessions.cookie", detail: "is not a valid cookie name")
        }
        if !path.hasPrefix("/") || !path.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ";") }) {
            reader.report(.badValue, of: "sessions.cookiePath", detail: "is not a path that begins with a slash")
        }
        if let domain, !domain.utf8.allSatisfy({ $0.isURLSafe || $0 == UInt8(ascii: ".") }) {
            reader.report(.badValue, of: "sessions.cookieDomain", detail: "is not a host name")
        }
        if name.hasPrefix("__Host-"), path != "/" || domain != nil {
            reader.report(
                .conflict, of: "sessions.cookie",
                detail: "__Host- excludes sessions.cookieDomain, and a sessions.cookiePath other than /")
        }
    }

    /// The name of the cookie for a resource: with the start of its SHA-256, unless all share one.
    ///
    /// `nil` if libcrypto failed.
    func name(for resource: ResourceID) -> String? {
        if isShared { return guardedName }
        return digest(of: resource.rawValue, bytes: 6).map { "\(guardedName)-\($0)" }
    }

    /// Writes the field value that sets the cookie; `nil` if browsers would drop it, because it is too long.
    ///
    /// The text is the session; empty to remove the cookie. `seconds` is how long the browser keeps it.
    func setting(_ text: String, for resource: ResourceID, seconds: Int64) -> String? {
        guard let name = name(for: resource), name.utf8.count + text.utf8.count <= Self.maximumLength else {
            return nil
        }
        return "\(name)=\(text)" + attributes(path: path, seconds: seconds)
    }

    /// The attributes of a cookie, after its name and value; they begin with a semicolon.
    ///
    /// Browsers send it below the path, and keep it for so many seconds.
    func attributes(path: String, seconds: Int64) -> String {
        let domain = domain.map { "; Domain=\($0)" } ?? ""
        return "; Path=\(path)\(domain); Max-Age=\(seconds); Secure; HttpOnly; SameSite=\(sameSite.attribute)"
    }
}

extension String {
    /// The values of cookies in a `Cookie` field, in its order.
    package func cookies(named name: String) -> [String] {
        withBytes { text in
            let values = name.withBytes { text.values(of: $0, between: UInt8(ascii: ";"), spaced: true) }
            return values.map { String(copying: text.extracting($0)) }
        }
    }
}

extension UInt8 {
    /// Whether the byte may be in the name of a cookie: a token character of RFC 9110 §5.6.2.
    fileprivate var isInCookieName: Bool { isURLSafe || "!#$%&'*+.^`|~".utf8.contains(self) }
}
#endif
