import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server in a process of its own, which answers each request with a decision of 2 KiB.
enum AnswerServer {
    static let bodyLength = 2048
    /// A permit for `REF30` with a token of as many characters as it takes.
    static let body: String = {
        let start =
            #"{"decisions":[{"resource":"REF30","serviceProvider":"REF30","mvpd":"TestMVPD","source":"mvpd","#
            + #""authorized":true,"notBefore":1780000000000,"notAfter":1780086400000,"token":{"issuedAt":1780000000000,"#
            + #""notBefore":1780000000000,"notAfter":1780000420000,"serializedToken":""#
        let end = #""}}]}"#
        return start + String(repeating: "A", count: bodyLength - start.utf8.count - end.utf8.count) + end
    }()

    /// Starts this program again as a server.
    static func started() throws -> (process: Process?, port: Int) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve"]
        process.standardOutput = output
        try process.run()
        // It says its port, in five digits.
        let said = try output.fileHandleForReading.read(upToCount: 5) ?? Data()
        guard let port = Int(String(decoding: said, as: UTF8.self)) else { throw POSIXError(.EPROTO) }
        return (process, port)
    }

    /// Listens on a free port and writes it to the standard output.
    static func run() async throws {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(Answerer())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = String(channel.localAddress?.port ?? 0)
        try FileHandle.standardOutput.write(
            contentsOf: Data((String(repeating: "0", count: 5 - port.count) + port).utf8))
        try await channel.closeFuture.get()
    }
}

private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let body = ByteBuffer(string: AnswerServer.body)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let headers: HTTPHeaders = ["content-type": "application/json", "content-length": "\(AnswerServer.bodyLength)"]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
