import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A viewer's browser, as far as a sign-in needs one: it follows redirections, keeps cookies, and sends one form.
final class Browser: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()
    // Sendable: tests use a browser from one task at a time.
    private var cookies: [String: String] = [:]

    /// Opens an address, and follows where it leads.
    ///
    /// - Parameter address: The address.
    /// - Returns: The last address, which may be one of an app, and the text of its page.
    /// - Throws: An error if there is no answer, or if it leads on and on.
    @discardableResult
    func open(_ address: String) async throws -> (address: String, page: String) {
        var next = try #require(URL(string: address))
        for _ in 0..<10 {
            let (page, location) = try await send(URLRequest(url: next))
            guard let location else { return (next.absoluteString, page) }
            guard location.hasPrefix("http") else { return (location, page) }
            next = try #require(URL(string: location))
        }
        throw CocoaError(.coderInvalidValue)
    }

    /// Types a code at the activation page, and confirms it.
    func activate(_ address: String, at origin: String) async throws {
        let page = try await open(address).page
        var form = ["confirmed=yes"]
        for name in ["token", "code"] {
            let field = try #require(page.range(of: "name=\"\(name)\" value=\""))
            form.append("\(name)=\(page[field.upperBound...].prefix { $0 != "\"" })")
        }
        var request = URLRequest(url: try #require(URL(string: "\(origin)/activate")))
        request.httpMethod = "POST"
        request.httpBody = Data(form.joined(separator: "&").utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue(origin, forHTTPHeaderField: "Origin")
        request.setValue("same-origin", forHTTPHeaderField: "Sec-Fetch-Site")
        let location = try #require(try await send(request).location)
        let end = try await open(location)
        #expect(end.page.contains("You are signed in"))
    }

    private func send(_ request: URLRequest) async throws -> (page: String, location: String?) {
        var request = request
        let host = request.url?.port.map(String.init) ?? ""
        let sent = cookies.filter { $0.key.hasPrefix("\(host) ") }.map(\.value)
        if !sent.isEmpty { request.setValue(sent.joined(separator: "; "), forHTTPHeaderField: "Cookie") }
        let (data, head) = try await session.data(for: request)
        let answer = try #require(head as? HTTPURLResponse)
        if let setting = answer.value(forHTTPHeaderField: "Set-Cookie") {
            let pair = String(setting.prefix { $0 != ";" })
            cookies["\(host) \(pair.prefix { $0 != "=" })"] = pair
        }
        return (String(decoding: data, as: UTF8.self), answer.value(forHTTPHeaderField: "Location"))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
