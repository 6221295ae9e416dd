import Foundation

extension Gateway {
    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - token: The device's token; `nil` for its registration.
    /// - Returns: The answer.
    /// - Throws: `GatewayError`.
    func exchange(_ call: GatewayCall, token: String?) async throws(GatewayError) -> GatewayAnswer {
        let answer: TransportAnswer
        do throws(TransportFailure) {
            answer = try await transport.send(try request(call, token: token))
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
        let retryAfter = answer.retryAfter.flatMap(Self.seconds)
        let body = try? JSONDecoder().decode([String: JSONValue].self, from: answer.body)
        switch answer.status {
        case 200..<300:
            guard let body, let read = GatewayAnswer(body) else { break }
            return read
        case 400..<600:
            guard let body else { break }
            if let refusal = GatewayRefusal(body, status: answer.status, retryAfter: retryAfter) {
                throw .refused(refusal)
            }
        default: break
        }
        throw .unreadable(status: answer.status, retryAfter: retryAfter)
    }

    private func request(_ call: GatewayCall, token: String?) throws(TransportFailure) -> TransportRequest {
        var fields = ["Accept": "application/json"]
        if let token { fields["Authorization"] = "Bearer \(token)" }
        var body: Data?
        if let members = call.body {
            fields["Content-Type"] = "application/json"
            guard let written = try? JSONEncoder().encode(members) else { throw .notConnected }
            body = written
        }
        let query = call.query + (call.knowsEvents ? [["events", "1"]] : [])
        let text = query.map { $0.joined(separator: "=") }.joined(separator: "&")
        let base = address.absoluteString
        let path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + call.path
        guard let url = URL(string: text.isEmpty ? path : "\(path)?\(text)") else { throw .notConnected }
        return TransportRequest(
            method: call.method.rawValue, url: url, fields: fields, body: body,
            timeLimit: Self.timeLimit + Double(call.wait))
    }

    /// Reads `Retry-After` in seconds; the gateway sends no dates.
    ///
    /// - Parameter text: The value.
    /// - Returns: The pause; `nil` if it is not a whole number, or longer than a day.
    private static func seconds(_ text: String) -> Duration? {
        guard let seconds = Int64(text), 0...86_400 ~= seconds else { return nil }
        return .seconds(seconds)
    }
}
