#if Service
import EntitlementFlows
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TextCodecs

/// The events that an app gets with an answer, because it asked with `?events=1`.
final class AnsweredEvents: Sendable {
    /// Gathers the events of the request that the current task answers; `nil` if the app did not ask for them.
    @TaskLocal static var current: AnsweredEvents?

    private let events = Mutex<[SessionEvent]>([])

    /// Uses a session, and gathers its events if the app asked for them.
    static func recording<Answer>(
        _ session: EntitlementSession,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        guard let current else { return try await body(session) }
        let recorder = session.recordEvents()
        defer { current.events.withLock { $0 += recorder.take() } }
        return try await body(session)
    }

    /// Forgets what was gathered: the answer that it belongs to is not given.
    static func forget() { current?.events.withLock { $0 = [] } }

    /// Answers a request, and adds the events to its answer: a member `events` of the JSON object.
    static func adding(if isWanted: Bool, to answer: () async throws -> Response) async throws -> Response {
        guard isWanted else { return try await answer() }
        let gathered = AnsweredEvents()
        let response = try await $current.withValue(gathered) { try await answer() }
        return try await gathered.added(to: response)
    }

    /// Writes an answer out, and adds the events before the end of its object.
    private func added(to response: Response) async throws -> Response {
        guard response.headers[.contentType] == "application/json" else { return response }
        let gatherer = ByteGatherer()
        try await response.body.write(gatherer)
        var bytes = gatherer.gathered.bytes.withLock { $0 }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")), bytes.first == UInt8(ascii: "{") else {
            return response
        }
        bytes.removeSubrange(end...)
        var object = JSONWriter()
        object.member("events", objects: events.withLock { $0 }) { $0.write(to: &$1) }
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += object.line().dropFirst()
        var response = response
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return response
    }
}

/// Keeps what is written of a response.
private struct ByteGatherer: ResponseBodyWriter {
    final class Gathered: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    let gathered = Gathered()

    mutating func write(_ buffer: ByteBuffer) async throws {
        gathered.bytes.withLock { $0 += buffer.readableBytesView }
    }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
#endif
