#if Service
import Dispatch
import HostSystem

/// Appends events to a file, which is opened anew for each group of them: a tool may move it away at any time.
final class EventFile: EventSink {
    private let path: String
    /// Of its own: a disk that stalls must not hold a thread that answers requests.
    private let queue = DispatchQueue(label: "events")

    init(_ path: String) { self.path = path }

    func deliver(_ lines: [UInt8]) async throws(EventSinkFailure) {
        let failure: FileFailure? = await withCheckedContinuation { continuation in
            queue.async { [path] in
                do throws(FileFailure) {
                    try Files.append(lines, to: path)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw EventSinkFailure(.later, reason: failure.reason) }
    }
}
#endif
