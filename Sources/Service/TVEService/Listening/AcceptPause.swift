#if Service
import CLibrary
package import Logging
import NIOCore

/// Pauses a listener for which the process has no file descriptor, or the system no memory, left.
///
/// A connection that cannot be accepted keeps its listener ready to be read, so without a pause a thread would try again
/// and again, and keep a core busy.
package final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// How long no connection is accepted.
    static let pause = TimeAmount.seconds(1)

    private let listener: ConnectionCount.Listener
    private let logger: Logger
    /// Whether the shortage was reported and nothing was accepted since.
    private var isShort = false

    package init(_ listener: ConnectionCount.Listener, logger: Logger) {
        (self.listener, self.logger) = (listener, logger)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isShort {
            isShort = false
            logger.notice("connections are accepted again", metadata: metadata)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, Self.shortages.contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        if !isShort {
            isShort = true
            var metadata = metadata
            metadata["reason"] = "\(failure)"
            logger.error(
                "no connection can be accepted: raise the limit of open files (LimitNOFILE), or lower limits.connections",
                metadata: metadata)
        }
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.pause) { _ = channel.setOption(.autoRead, value: true) }
        }
    }

    private var metadata: Logger.Metadata { ["code": "file_limit", "listener": "\(listener.rawValue)"] }

    private static let shortages: Set = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
}

@available(*, unavailable)
extension AcceptPause: Sendable {}
#endif
