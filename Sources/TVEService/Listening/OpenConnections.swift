#if Service
import NIOCore
import Synchronization

/// Holds the connections that are open, so that they can be closed when the time to finish is over.
///
/// Servers are never cancelled instead: NIO traps where a connection was accepted that no task has begun to read.
final class OpenConnections: Sendable {
    /// `nil` once all were closed; what comes then is closed at once.
    private let channels = Mutex<[ObjectIdentifier: any Channel]?>([:])

    func add(_ channel: any Channel) {
        let isTooLate = channels.withLock { channels in
            channels?[ObjectIdentifier(channel)] = channel
            return channels == nil
        }
        if isTooLate { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) { channels.withLock { $0?[ObjectIdentifier(channel)] = nil } }

    /// Closes them, each on its own event loop.
    func closeAll() {
        let open = channels.withLock { channels in
            defer { channels = nil }
            return channels.map { Array($0.values) } ?? []
        }
        for channel in open { channel.close(promise: nil) }
    }
}
#endif
