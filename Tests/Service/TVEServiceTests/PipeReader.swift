#if Service
import Foundation
import Synchronization
import TestVectors

/// Reads a pipe on threads of its own: reading blocks.
final class PipeReader: Sendable {
    private struct State {
        var bytes = Data()
        var isOver = false
    }

    private let pipe: Pipe
    private let state = Mutex(State())

    init(_ pipe: Pipe) { self.pipe = pipe }

    /// Begins to read.
    ///
    /// - Parameter isEnough: Whether what has come is enough, so that reading stops until this is called again.
    func start(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) {
        Thread.detachNewThread { [self] in
            while !isEnough(text) {
                let bytes = pipe.fileHandleForReading.availableData
                if bytes.isEmpty { return state.withLock { $0.isOver = true } }
                state.withLock { $0.bytes += bytes }
            }
        }
    }

    /// What has come so far.
    var text: String { String(decoding: state.withLock(\.bytes), as: UTF8.self) }

    /// Whether the writer has closed the pipe, and nothing more will come.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Everything that comes until the writer closes the pipe.
    func wholeText() async throws -> String { try await polled("the end of a pipe") { isOver ? text : nil } }
}
#endif
