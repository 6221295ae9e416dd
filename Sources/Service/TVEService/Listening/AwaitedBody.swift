#if Service
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// The body of a request whose client may wait for `100 Continue`: as soon as it is read, the connection is told so.
///
/// A request that is answered by its head alone gets that answer at once, and no `100 Continue` before it.
struct AwaitedBody: AsyncSequence, Sendable {
    private let body: RequestBody
    private let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: RequestBody.AsyncIterator
        /// The connection, until it is told.
        fileprivate var channel: (any Channel)?

        @concurrent mutating func next() async throws -> ByteBuffer? {
            channel?.triggerUserOutboundEvent(ConnectionGuard.BodyIsRead(), promise: nil)
            channel = nil
            return try await iterator.next()
        }
    }

    fileprivate init(_ body: RequestBody, on channel: any Channel) { (self.body, self.channel) = (body, channel) }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: body.makeAsyncIterator(), channel: channel) }
}

extension HTTPServerBuilder {
    /// A server of HTTP/1 whose requests have an `AwaitedBody` if their clients expect something.
    ///
    /// The handlers of the configuration have a `ConnectionGuard`, which writes `100 Continue`.
    static func http1Awaiting(configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTP1Channel(
                responder: { (request, writer: consuming ResponseWriter, channel) in
                    var request = request
                    if request.headers.contains(.expect) {
                        request.body = RequestBody(asyncSequence: AwaitedBody(request.body, on: channel))
                    }
                    try await responder(request, writer, channel)
                },
                configuration: configuration)
        }
    }
}
#endif
