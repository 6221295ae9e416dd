#if Client
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// Collects the answer to one request within its limits, and can be cancelled from any thread.
final class Exchange: HTTPClientResponseDelegate, Sendable {
    typealias Response = HTTPAnswer

    /// How long all header fields of an answer may be together, in bytes.
    static let headLimit = 64 << 10

    private struct State {
        var task: HTTPClient.Task<HTTPAnswer>?
        var isCancelled = false
        var head: HTTPResponse?
        var body: [UInt8] = []
    }

    private let bodyLimit: Int
    private let hasAnswerBody: Bool
    private let state = Mutex(State())

    /// Waits for an answer whose body has at most `bodyLimit` bytes.
    ///
    /// `hasAnswerBody` says whether the length that the answer names is its own: not for HEAD.
    init(bodyLimit: Int, hasAnswerBody: Bool) {
        (self.bodyLimit, self.hasAnswerBody) = (bodyLimit, hasAnswerBody)
    }

    /// Remembers the task; cancels it if that was asked for before.
    func start(_ task: HTTPClient.Task<HTTPAnswer>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Ends the exchange at once.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.fail(reason: TransportFailure(.cancelled, mayHaveBeenSent: true))
    }

    func didReceiveHead(task: HTTPClient.Task<HTTPAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let length = hasAnswerBody ? head.headers.first(name: "content-length").flatMap(Int.init) : nil
        guard length ?? 0 <= bodyLimit else { return refuse(.tooLong, task) }
        guard head.headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.headLimit else {
            return refuse(.tooLong, task)
        }
        guard let converted = HTTPResponse(head) else { return refuse(.malformed, task) }
        state.withLock { state in
            state.head = converted
            state.body.reserveCapacity(length ?? 0)
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<HTTPAnswer>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = state.withLock { state in
            guard part.readableBytes <= bodyLimit - state.body.count else { return false }
            state.body.append(contentsOf: part.readableBytesView)
            return true
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : refuse(.tooLong, task)
    }

    func didFinishRequest(task: HTTPClient.Task<HTTPAnswer>) throws -> HTTPAnswer {
        try state.withLock { state in
            guard let head = state.head else { throw TransportFailure(.malformed, mayHaveBeenSent: true) }
            return HTTPAnswer(head, body: state.body)
        }
    }

    private func refuse(
        _ reason: TransportFailure.Reason,
        _ task: HTTPClient.Task<HTTPAnswer>
    ) -> EventLoopFuture<Void> {
        task.eventLoop.makeFailedFuture(TransportFailure(reason, mayHaveBeenSent: true))
    }
}
#endif
