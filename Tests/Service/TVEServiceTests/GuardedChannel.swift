#if Service
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import TVEService

extension EmbeddedChannel {
    /// A connection of a listener without a socket: an idle time of 5 seconds, and 10 for a request, by a clock that stands
    /// still until a test moves it.
    ///
    /// - Parameter batches: The limits of batches; `nil` if the listener takes none.
    /// - Returns: The connection; one that is not closed stays in memory.
    /// - Throws: An error of the pipeline.
    static func guarded(batches: ConnectionGuard.BatchLimits? = nil) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        let limits = ConnectionGuard.Limits(request: .seconds(10), idle: .seconds(5), batches: batches)
        try pipeline.addHandler(ConnectionGuard(limits, among: OpenConnections()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }
}
#endif
