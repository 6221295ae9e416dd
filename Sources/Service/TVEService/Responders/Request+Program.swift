#if Service
import HTTPTypes
import HostSystem
import Hummingbird
import OpenSSLBridge
import TextCodecs

extension Request {
    /// Refuses a request that a web page may have sent through the browser of a user.
    ///
    /// A browser on the same host reaches listeners that are closed to others. It says from which page a request comes
    /// (`Origin`, `Sec-Fetch-Site`). If the page's own name has been made to lead to this host (DNS rebinding), `Host` has
    /// that name.
    ///
    /// No browser reaches a listener at a Unix socket.
    func requireProgram(at binding: ServiceSettings.Binding) throws(RequestError) {
        guard headers[.origin] == nil, (headers[.secFetchSite] ?? "none") == "none" else {
            throw .foreignPage("requests of web pages are refused")
        }
        if case .address(let address) = binding, address.isLoopback, !namesLoopback(orHost: address.host) {
            throw .foreignPage("Host names neither this host nor the listener's address")
        }
    }

    /// Whether the body says that it is JSON, which a form of a foreign page cannot send.
    var isJSON: Bool {
        headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() == "application/json"
    }

    /// Refuses a body that does not say that it is JSON, as those of a page's forms.
    func requireJSON() throws(RequestError) {
        guard isJSON else {
            throw RequestError(
                .unsupportedMediaType, "unsupported_media_type",
                detail: "the Content-Type is not application/json")
        }
    }

    private func namesLoopback(orHost configured: String) -> Bool {
        guard let authority = head.authority, !authority.isEmpty else { return false }
        // What comes after the last colon is a port, unless an address of IPv6 in brackets ends there.
        var host = authority[...]
        if let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) {
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return ServiceSettings.Address.isLoopback(host) || host.lowercased() == configured.lowercased()
    }

    /// Whether the request shows a secret, as a bearer token (RFC 6750 §2.1); no request shows an empty one.
    func shows(_ secret: WipedBytes) -> Bool {
        guard secret.count > 0, let value = headers[.authorization], value.lowercased().hasPrefix("bearer ") else {
            return false
        }
        return isEqualInConstantTime(Array(value.utf8.dropFirst(7)), secret.withSpan { [UInt8](copying: $0) })
    }
}

extension HTTPField.Name {
    /// From which site the page comes that sends a request, as browsers say; pages cannot change it.
    static let secFetchSite = HTTPField.Name(known: "Sec-Fetch-Site")
}
#endif
