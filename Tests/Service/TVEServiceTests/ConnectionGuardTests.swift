#if Service
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TVEService
import Testing

/// When a connection is closed, by the clock of an event loop that stands still until a test moves it.
@Suite struct ConnectionGuardTests {
    private static let request = "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    private static let batch =
        "POST /v1/media-tokens/verify-batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    /// A batch that is complete.
    private static let shortBatch =
        "POST /v1/media-tokens/verify-batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n\n"

    private static let batches = ConnectionGuard.BatchLimits(bytes: 4096, life: .seconds(60))

    private func connection(batches: ConnectionGuard.BatchLimits? = batches) throws -> EmbeddedChannel {
        try .guarded(batches: batches)
    }

    private func answer(_ status: HTTPResponse.Status = .ok, on channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// Sends the fewest bytes that keep a batch going for the next 5 seconds.
    ///
    /// A function of its own: swiftc 6.3.1 makes a double release of the two loops in one function if it optimises.
    @inline(never)
    private func sendJustInTime(on channel: EmbeddedChannel) throws {
        for _ in 0..<4 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1249))
            try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 1024))
        }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(4))
    }

    /// Checks that a connection is closed after a time, and not before.
    private func expectEnd(
        of channel: EmbeddedChannel, after time: TimeAmount, at location: SourceLocation = #_sourceLocation
    ) {
        channel.embeddedEventLoop.advanceTime(by: time - .milliseconds(1))
        #expect(channel.isActive, "too early", sourceLocation: location)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive, "too late", sourceLocation: location)
    }

    @Test func `A request that trickles in has its time`() throws {
        let channel = try connection()
        try channel.writeInbound(ByteBuffer(string: Self.request))
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(string: " "))
        }
        expectEnd(of: channel, after: .seconds(1))
    }

    @Test func `A request that is complete has no end`() throws {
        let channel = try connection()
        try channel.writeInbound(ByteBuffer(string: "GET /v1/authz HTTP/1.1\r\nHost: a\r\n\r\n"))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try answer(on: channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test func `A batch that is fast enough goes on`() throws {
        let channel = try connection(batches: .init(bytes: 4096, life: .seconds(3600)))
        try channel.writeInbound(ByteBuffer(string: Self.batch))
        for _ in 0..<30 {
            try sendJustInTime(on: channel)
            #expect(channel.isActive)
        }
        try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 4095))
        expectEnd(of: channel, after: .seconds(5))
    }

    @Test func `A batch ends after its life however fast it is`() throws {
        let channel = try connection()
        try channel.writeInbound(ByteBuffer(string: Self.batch))
        for _ in 0..<59 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 4096))
        }
        expectEnd(of: channel, after: .seconds(1))
    }

    @Test func `A connection may live longer than a batch on it`() throws {
        let channel = try connection()
        try channel.writeInbound(ByteBuffer(string: Self.shortBatch))
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        try answer(on: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(600))
        #expect(channel.isActive)
        // The next one has a life of its own.
        try channel.writeInbound(ByteBuffer(string: Self.shortBatch))
        expectEnd(of: channel, after: .seconds(60))
    }

    @Test func `The rest of a batch that was refused has the time of a request`() throws {
        let channel = try connection()
        try channel.writeInbound(ByteBuffer(string: Self.batch))
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .notFound)))
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 8192))
        }
        expectEnd(of: channel, after: .seconds(1))
    }

    @Test func `A listener without batches takes them as requests`() throws {
        let channel = try connection(batches: nil)
        try channel.writeInbound(ByteBuffer(string: Self.batch))
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 8192))
        }
        expectEnd(of: channel, after: .seconds(1))
    }

    @Test func `A response has to be read`() throws {
        let channel = try connection()
        for isWritable in [false, true, false] {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(9999))
            #expect(channel.isActive)
        }
        expectEnd(of: channel, after: .milliseconds(1))
    }
}
#endif
