#if Service
import Foundation
import Synchronization
import Testing

/// A user's browser, as far as the gateway sees it: it keeps cookies, and follows where it is sent.
final class Browser: Sendable {
    private let bench: GatewayBench
    private let cookies = Mutex<[String: String]>([:])

    init(of bench: GatewayBench) { self.bench = bench }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? { cookies.withLock { $0[name] } }

    /// Opens an address of the gateway.
    func open(_ address: String, fields: [String] = []) async throws -> Answer {
        try await ask("GET", address, nil, fields)
    }

    /// Sends a form of a page of the gateway.
    func send(_ address: String, _ form: [String: String], fields: [String] = ownPage) async throws -> Answer {
        let allowed = CharacterSet.alphanumerics
        let body = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        return try await ask(
            "POST", address, body, ["Content-Type: application/x-www-form-urlencoded"] + fields)
    }

    /// Asks as a script of a page of the gateway's own site does.
    func script(_ method: String, _ address: String, _ body: String? = nil) async throws -> Answer {
        try await ask(method, address, body, Self.ownPage + (body == nil ? [] : ["Content-Type: application/json"]))
    }

    /// What a browser sends along with a request of a page of the gateway's own.
    static let ownPage = ["Origin: \(GatewayBench.publicURL)", "Sec-Fetch-Site: same-origin"]

    private func ask(_ method: String, _ address: String, _ body: String?, _ fields: [String]) async throws -> Answer {
        let target =
            address.hasPrefix(GatewayBench.publicURL)
            ? String(address.dropFirst(GatewayBench.publicURL.count)) : address
        let jar = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        let answer = try await bench.ask(method, target, body, fields: fields + (jar.isEmpty ? [] : ["Cookie: \(jar)"]))
        for (name, value) in answer.fields where name.lowercased() == "set-cookie" {
            let parts = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, text) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            #expect(value.contains("Secure") && value.contains("HttpOnly") && value.contains("SameSite=Lax"))
            cookies.withLock { $0[name] = text.isEmpty ? nil : text }
        }
        return answer
    }
}
#endif
