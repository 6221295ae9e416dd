import AppEntitlements
import Foundation
import Testing

/// A gateway that answers what the test says; what the test says nothing of goes to another one, if there is one.
final class ScriptedTransport: GatewayTransport, @unchecked Sendable {
    /// What is answered to a request.
    enum Reply: Sendable {
        case json(Int, String, retryAfter: String? = nil)
        case fails(TransportFailure)
        /// Answers only once the test goes on, or fails if the request is cancelled.
        case waits(Gate, then: String)

        /// An answer that is good.
        static func ok(_ json: String) -> Reply { .json(200, json) }

        /// A refusal as the gateway writes it.
        static func refused(
            _ status: Int, _ code: String, _ action: String, retryAfter: String? = nil, more: String = ""
        ) -> Reply {
            .json(status, #"{"code":"\#(code)","action":"\#(action)","detail":"d"\#(more)}"#, retryAfter: retryAfter)
        }
    }

    /// A request that was sent.
    struct Sent: Sendable, Hashable {
        let call: String
        let body: JSONValue?
        let token: String?
    }

    static let token = "token-of-the-device"
    static let registered = #"{"code":"registered","deviceToken":"token-of-the-device","expires":9000000000000}"#

    // Sendable: both are only used with the lock held.
    private let lock = NSLock()
    private var replies: [String: [Reply]]
    private var requests: [Sent] = []
    private let next: (any GatewayTransport)?

    init(over next: (any GatewayTransport)? = nil) {
        self.next = next
        replies = next == nil ? ["POST /v1/devices": [.json(201, Self.registered)]] : [:]
    }

    /// Says what the next requests of a kind get; the last answer stays.
    func on(_ call: String, _ replies: Reply...) { lock.withLock { self.replies[call] = replies } }

    /// The requests so far.
    var sent: [Sent] { lock.withLock { requests } }

    /// The requests so far by method and path, without those that register the device.
    var calls: [String] { sent.map(\.call).filter { $0 != "POST /v1/devices" } }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let query = items.filter { $0.name != "events" }.map { "\($0.name)=\($0.value ?? "")" }
        let isAboutSessions = request.url.path.hasPrefix("/v1/playback-sessions")
        #expect(items.contains { $0.name == "events" && $0.value == "1" } == !isAboutSessions)
        let path = "\(request.method) \(request.url.path)"
        let call = query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
        let body = request.body.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
        #expect((request.body == nil) == (request.fields["Content-Type"] == nil))
        let token = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let reply = lock.withLock { () -> Reply? in
            requests.append(Sent(call: call, body: body, token: token))
            let left = replies[call] ?? replies[path] ?? []
            if left.count > 1 { replies[replies[call] == nil ? path : call] = Array(left.dropFirst()) }
            return left.first
        }
        switch reply {
        case .json(let status, let text, let retryAfter):
            return TransportAnswer(status: status, retryAfter: retryAfter, body: Data(text.utf8))
        case .fails(let failure): throw failure
        case .waits(let gate, let text):
            guard await gate.opened() else { throw .cancelled }
            return TransportAnswer(status: 200, body: Data(text.utf8))
        case nil:
            if let next { return try await next.send(request) }
            Issue.record("the test says nothing of \(call)")
            throw .interrupted
        }
    }
}

/// Holds an answer back until the test opens it.
final class Gate: @unchecked Sendable {
    // Sendable: it is only used with the lock held.
    private let lock = NSLock()
    private var isOpen = false

    func open() { lock.withLock { isOpen = true } }

    /// Waits; `false` if the task was cancelled.
    func opened() async -> Bool {
        while !lock.withLock({ isOpen }) {
            if (try? await Task.sleep(for: .milliseconds(2))) == nil { return false }
        }
        return true
    }
}

/// A time that passes only in pauses, which take no time.
final class TestTime: @unchecked Sendable {
    // Sendable: both are only used with the lock held.
    private let lock = NSLock()
    private var milliseconds: Int64
    private var pauses: [Duration] = []

    init(at milliseconds: Int64 = 1_800_000_000_000) { self.milliseconds = milliseconds }

    /// How long was slept, in order.
    var slept: [Duration] { lock.withLock { pauses } }

    func advance(by milliseconds: Int64) { lock.withLock { self.milliseconds += milliseconds } }

    var time: GatewayTime {
        GatewayTime(
            now: { self.lock.withLock { self.milliseconds } },
            sleep: { pause in
                try Task.checkCancellation()
                self.lock.withLock {
                    self.pauses.append(pause)
                    self.milliseconds += Int64(pause / .milliseconds(1))
                }
                try await Task.sleep(for: .milliseconds(1))
            })
    }
}

/// A store that fails.
struct BrokenStore: DeviceStateStore {
    struct Failure: Error {}
    func load(for app: String) throws -> Data? { throw Failure() }
    func save(_ bytes: Data?, for app: String) throws { throw Failure() }
}
