#if Client
import BrokerBench
import BrokerClient
import HTTPTypes
import NIOCore
import NIOPosix
import Testing
import TestVectors

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
    ///
    /// Without a limit of its own, a call that ends for another reason than that limit has ended by itself, however slow
    /// the machine is.
    func outcome(
        of request: HTTPRequest,
        body: [UInt8] = [],
        within limit: Duration = .seconds(60)
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

extension TransportFailure {
    /// The failure without what it says of the server.
    var bare: TransportFailure { TransportFailure(reason, mayHaveBeenSent: mayHaveBeenSent) }
}

extension HTTPAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension AsyncHTTPTransport.Settings {
    /// Settings by which a call runs into its own limit before that of connecting.
    static var patient: Self {
        var settings = Self()
        settings.connectTimeLimit = .seconds(120)
        return settings
    }
}

/// Notes how long something took, beside how long it should take on a quiet machine.
func noteTime(_ time: Duration, of limit: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    DeepRun.note("\(sourceLocation.fileName):\(sourceLocation.line), of \(limit)", time)
}

/// Waits until the transports have done what they began when a server saw something of it, as a connection's end.
///
/// A loop may still be at the close that the server saw, and has not yet queued what follows from it. It has once it has
/// turned, and has done it once it has turned again.
func eventLoopsHaveTurned() async throws {
    for _ in 0..<2 {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
    }
}

/// Makes a transport, lets a test use it, and shuts it down.
func withTransport<Value>(
    _ settings: AsyncHTTPTransport.Settings = .patient,
    _ body: (AsyncHTTPTransport) async throws -> Value
) async throws -> Value {
    try await using(try AsyncHTTPTransport(settings), body)
}

/// Lets a test use a transport, and shuts it down.
func using<Value>(
    _ transport: AsyncHTTPTransport,
    _ body: (AsyncHTTPTransport) async throws -> Value
) async throws -> Value {
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
