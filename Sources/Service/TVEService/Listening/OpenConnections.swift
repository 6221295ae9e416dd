#if Service
import NIOCore
import Synchronization

/// The open connections, so that they can be closed when the time to finish is over.
///
/// Cancelling the servers instead is not possible: NIO traps if a connection was accepted and no task has begun to read it.
package final class OpenConnections: Sendable {
    /// `nil` after all were closed; a connection that opens later is closed immediately.
    private let channels = Mutex<[ObjectIdentifier: any Channel]?>([:])

    package init() {}

    func add(_ channel: any Channel) {
        let isTooLate = channels.withLock { channels in
            channels?[ObjectIdentifier(channel)] = channel
            return channels == nil
        }
        if isTooLate { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) { channels.withLock { $0?[ObjectIdentifier(channel)] = nil } }

    /// Closes all connections, each on its own event loop.
    func closeAll() {
        let open = channels.withLock { channels in
            defer { channels = nil }
            return channels.map { Array($0.values) } ?? []
        }
        for channel in open { channel.close(promise: nil) }
    }
}
#endif
