#if Redis
import Foundation
import Synchronization

/// Passes bytes between clients and a server as a distant network would: each byte arrives half a round trip later.
///
/// A Unix domain socket connects at once, so the first bytes of a connection wait one round trip more, as connecting over
/// the network would have.
package final class DelayingProxy: Sendable {
    /// The path of the socket that clients connect to.
    package let path: String
    private let server: String
    private let roundTrip: TimeInterval
    private let listener: Socket

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - server: The path of the server's socket.
    ///   - milliseconds: The round trip.
    /// - Throws: `POSIXError` if the socket cannot be made.
    package init(to server: String, roundTrip milliseconds: Int) throws {
        // Short, since the path of a socket may have only about a hundred bytes.
        path = "/tmp/tve-far-\(UUID().uuidString.prefix(13)).sock"
        self.server = server
        roundTrip = Double(milliseconds) / 1000
        listener = try Socket.listening(at: path)
        Thread.detachNewThread { [listener, server, roundTrip] in
            while let client = listener.nextPeer() {
                guard let peer = try? Socket.connected(to: server) else { continue }
                Self.carry(from: client, to: peer, delay: roundTrip / 2, first: roundTrip)
                Self.carry(from: peer, to: client, delay: roundTrip / 2, first: 0)
            }
        }
    }

    deinit {
        listener.shut()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Bytes on their way, and when they arrive.
    private final class Way: Sendable {
        let pieces = Mutex<[(at: Date, bytes: [UInt8])]>([])
        let arrivals = DispatchSemaphore(value: 0)
    }

    private static func carry(from source: Socket, to target: Socket, delay: TimeInterval, first: TimeInterval) {
        let way = Way()
        Thread.detachNewThread {
            var earliest = Date(timeIntervalSinceNow: first)
            while true {
                let bytes = source.read(within: nil)
                // In order, although the first bytes take longer.
                let arrival = max(earliest, Date()) + delay
                earliest = arrival - delay
                way.pieces.withLock { $0.append((arrival, bytes)) }
                way.arrivals.signal()
                if bytes.isEmpty { return }
            }
        }
        Thread.detachNewThread {
            while true {
                way.arrivals.wait()
                let piece = way.pieces.withLock { $0.removeFirst() }
                Thread.sleep(until: piece.at)
                if piece.bytes.isEmpty { return target.shut() }
                target.write(piece.bytes)
            }
        }
    }
}
#endif
