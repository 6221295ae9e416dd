#if CLI
import Dispatch
import Synchronization

/// Runs an asynchronous part of a command, while the main thread waits.
func awaiting<Answer: Sendable>(_ body: sending @escaping () async throws -> Answer) throws -> Answer {
    let answered = DispatchSemaphore(value: 0)
    let place = AnswerPlace<Answer>()
    Task.detached {
        do {
            place.take(.success(try await body()))
        } catch {
            place.take(.failure(error))
        }
        answered.signal()
    }
    answered.wait()
    return try place.answer()
}

/// Passes the answer of an asynchronous part to the main thread.
private final class AnswerPlace<Answer: Sendable>: Sendable {
    private let result = Mutex<Result<Answer, any Error>?>(nil)

    func take(_ result: Result<Answer, any Error>) {
        self.result.withLock { $0 = result }
    }

    func answer() throws -> Answer {
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}
#endif
