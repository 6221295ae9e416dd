#if Redis
import Foundation

/// Passes bytes to a port of this host and back, and does to the answers what bad networks do.
package final class RoughProxy: Sendable {
    /// What happens to the bytes that the server sends.
    package enum Manner: Sendable {
        /// They arrive one by one.
        case drips
        /// After so many of them, no more arrive.
        case stalls(after: Int)
        /// After so many of them, the connection ends.
        case cuts(after: Int)
        /// They arrive until the closure, which is asked before each piece of them, says that the connection ends.
        case ends(when: @Sendable () -> Bool)
    }

    /// The port of 127.0.0.1 on which the proxy listens.
    package let port: Int
    private let listener: Socket

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - target: The port of the server.
    ///   - manner: What happens to its answers.
    /// - Throws: `POSIXError` if no port can be opened.
    package init(to target: Int, _ manner: Manner) throws {
        (listener, port) = try Socket.listening()
        Thread.detachNewThread { [listener] in
            while let client = listener.nextPeer() {
                guard let server = try? Socket.connected(to: target) else { continue }
                Thread.detachNewThread {
                    while case let bytes = client.read(within: nil), !bytes.isEmpty { server.write(bytes) }
                    server.shut()
                }
                Thread.detachNewThread { Self.carry(from: server, to: client, manner) }
            }
        }
    }

    deinit { listener.shut() }

    private static func carry(from server: Socket, to client: Socket, _ manner: Manner) {
        var count = 0
        while case let bytes = server.read(within: nil), !bytes.isEmpty {
            switch manner {
            case .drips: for byte in bytes { client.write([byte]) }
            case .stalls(let limit): client.write(Array(bytes.prefix(max(0, limit - count))))
            case .cuts(let limit):
                client.write(Array(bytes.prefix(max(0, limit - count))))
                if count + bytes.count >= limit { return client.shut() }
            case .ends(let isOver):
                if isOver() { return client.shut() }
                client.write(bytes)
            }
            count += bytes.count
        }
        client.shut()
    }
}
#endif
