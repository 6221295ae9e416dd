#if Client
import HTTPTypes
import TextCodecs

/// Keeps web pages of other origins, and names that lead here only by a trick, from a site.
///
/// A page of an attacker can have its own name resolve to 127.0.0.1 (DNS rebinding): the browser then takes this site
/// for the attacker's. So the name counts that the request itself gives.
struct SiteAccess {
    private let settings: SiteSettings

    init(_ settings: SiteSettings) { self.settings = settings }

    /// Refuses a request that no page of the site and no program at this machine would send.
    func check(_ request: HTTPRequest, for area: SiteArea) throws(SiteFault) {
        guard let authority = request.authority?.lowercased(), let host = Self.host(of: authority),
            Self.isLoopback(host) || isAllowed(host, for: area)
        else { throw .wrongHost }
        guard let origin = request.headerFields[.origin]?.lowercased() else { return }
        guard origin == "http://\(authority)" || origin == "https://\(authority)" else { throw .foreignOrigin }
    }

    /// Addresses cannot be rebound, and names that were given with the site's settings are its own.
    private func isAllowed(_ host: Substring, for area: SiteArea) -> Bool {
        guard settings.isOpenToOthers, area == .signIn || area == .logout else { return false }
        return IPAddress(host) != nil || settings.names.contains { $0.lowercased() == host }
    }

    /// The host of an authority, without brackets and port; `nil` if it is malformed.
    private static func host(of authority: String) -> Substring? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end]
        }
        guard let colon = authority.firstIndex(of: ":") else { return authority.isEmpty ? nil : authority[...] }
        guard isPort(authority[colon...]), colon != authority.startIndex else { return nil }
        return authority[..<colon]
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && (1...5).contains(text.utf8.count - 1)
            && text.dropFirst().utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Whether a host is this machine for every client.
    static func isLoopback(_ host: Substring) -> Bool {
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}

extension HTTPField.Name {
    /// Which page made the browser send a request (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin") ?? .referer
}

/// Why a page or a control call is refused.
enum SiteFault: Error, Sendable, Hashable {
    /// The request names another host than this machine.
    case wrongHost
    /// A page of another origin sent the request.
    case foreignOrigin
    /// A form of the overview lacks its secret: it is from before the last start.
    case oldForm
    case notFound
    case wrongMethod(allowed: [String])
    case notJSON
    case tooLarge
    /// Something in the request cannot be used; the text says what, without a secret.
    case badRequest(String)
    /// What the simulator refused.
    case refused(SimulationError)

    /// The status of the answer, the code, and what happened.
    private var told: (status: Int, code: String, detail: String) {
        switch self {
        case .wrongHost:
            (403, "wrong_host", "this part of the simulator is reached by the names localhost and 127.0.0.1 only")
        case .foreignOrigin: (403, "foreign_origin", "a page of another origin may not do this")
        case .oldForm: (403, "old_form", "the form is from before the last start; load the page again")
        case .notFound: (404, "not_found", "the path is unknown")
        case .wrongMethod(let allowed):
            (405, "method_not_allowed", "the path takes \(allowed.joined(separator: " or "))")
        case .notJSON: (415, "not_json", "a change is sent with Content-Type: application/json")
        case .tooLarge: (413, "too_large", "the body is longer than \(BrokerSimulator.maximumBodyLength) bytes")
        case .badRequest(let reason): (400, "bad_request", reason)
        case .refused(let error): (error.siteStatus, error.code, error.description)
        }
    }

    /// For programs.
    var json: Reply {
        var error = JSONWriter()
        error.member("code", told.code)
        error.member("detail", told.detail)
        var object = JSONWriter()
        object.member("error", error)
        return withAllowed(.control(object, status: told.status))
    }

    /// For people.
    func page(of site: SimulatorSite) -> Reply {
        let page = Page("This does not work", "<p class=\"alert\" role=\"alert\">\(Self.sentence(told.detail))</p>")
        return withAllowed(site.show(page, status: told.status))
    }

    private static func sentence(_ detail: String) -> String {
        detail.prefix(1).uppercased() + detail.dropFirst() + "."
    }

    private func withAllowed(_ reply: Reply) -> Reply {
        guard case .wrongMethod(let allowed) = self else { return reply }
        var reply = reply
        reply.fields["Allow"] = allowed.joined(separator: ", ")
        return reply
    }
}

extension SimulationError {
    /// The status with which the site refuses what the simulator refused.
    fileprivate var siteStatus: Int {
        switch self {
        case .unknownScenario, .unknownClient, .unknownCode, .unknownUser, .unknownIntegration: 404
        case .backend, .keys: 500
        default: 400
        }
    }
}
#endif
