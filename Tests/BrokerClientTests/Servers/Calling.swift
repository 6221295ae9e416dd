#if Client
import HTTPTypes

@testable import BrokerClient

extension HTTPRequest {
    /// A request to a server of a test.
    static func get(_ path: String = "/", _ authority: String, scheme: String = "http") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
    }

    static func get(_ path: String = "/", from server: RawServer) -> HTTPRequest {
        .get(path, "127.0.0.1:\(server.port)")
    }
}

extension HTTPTransport {
    /// Sends a request and says how it ended and how long that took.
    func outcome(
        of request: HTTPRequest,
        body: [UInt8] = [],
        within limit: Duration = .seconds(10)
    ) async -> (Result<HTTPAnswer, TransportFailure>, Duration) {
        let start = ContinuousClock.now
        do {
            let answer = try await send(request, body: body, within: limit)
            return (.success(answer), ContinuousClock.now - start)
        } catch {
            return (.failure(error), ContinuousClock.now - start)
        }
    }
}

extension Result where Success == HTTPAnswer, Failure == TransportFailure {
    var failure: TransportFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    var answer: HTTPAnswer? { try? get() }
}

extension HTTPAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Makes a transport, lets a test use it, and shuts it down.
func withTransport<Value>(
    _ settings: AsyncHTTPTransport.Settings = .init(),
    _ body: (AsyncHTTPTransport) async throws -> Value
) async throws -> Value {
    let transport = try AsyncHTTPTransport(settings)
    let value: Value
    do {
        value = try await body(transport)
    } catch {
        await transport.shutdown()
        throw error
    }
    await transport.shutdown()
    return value
}
#endif
