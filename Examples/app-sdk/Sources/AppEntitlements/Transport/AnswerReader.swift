// URLSession is in a module of its own on Linux.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// Reads answers piece by piece, so that one which is too long ends where it becomes so: `URLSession.data(for:)` would
/// keep as much as the server sends.
///
/// It follows no redirection: no answer of the gateway is one, and the token must not go elsewhere.
final class AnswerReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Unfinished {
        let waiting: CheckedContinuation<TransportAnswer, any Error>
        var body = Data()
    }

    // Sendable: it is only used with the lock held.
    private let lock = NSLock()
    private var unfinished: [Int: Unfinished] = [:]

    /// Sends a message, and reads the answer.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - session: The session, whose delegate this is.
    /// - Returns: The answer, of any status.
    /// - Throws: `TransportFailure`, or the session's own error.
    func answer(to message: URLRequest, in session: URLSession) async throws -> TransportAnswer {
        let task = session.dataTask(with: message)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                lock.withLock { unfinished[task.taskIdentifier] = Unfinished(waiting: waiting) }
                // A cancellation before this line found nothing to end.
                if Task.isCancelled { end(task, .failure(TransportFailure.cancelled)) } else { task.resume() }
            }
        } onCancel: {
            end(task, .failure(TransportFailure.cancelled))
        }
    }

    /// Ends a task for the one that waits; does nothing if it has ended.
    private func end(_ task: URLSessionTask, _ result: Result<TransportAnswer, any Error>) {
        let ended = lock.withLock { unfinished.removeValue(forKey: task.taskIdentifier) }
        if case .failure = result { task.cancel() }
        ended?.waiting.resume(with: result)
    }

    func urlSession(_ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            unfinished[task.taskIdentifier]?.body.append(data)
            return (unfinished[task.taskIdentifier]?.body.count ?? 0) > URLSessionTransport.maximumBody
        }
        if isTooLong { end(task, .failure(TransportFailure.tooLong)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let body = lock.withLock { unfinished[task.taskIdentifier]?.body }
        guard error == nil, let body, let head = task.response as? HTTPURLResponse else {
            return end(task, .failure(error ?? TransportFailure.interrupted))
        }
        end(
            task,
            .success(
                TransportAnswer(
                    status: head.statusCode, retryAfter: head.value(forHTTPHeaderField: "Retry-After"), body: body)))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
