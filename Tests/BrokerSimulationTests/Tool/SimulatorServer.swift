#if Client
import BrokerSimulation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves a simulator over plain HTTP on a free port of the loopback interface, for the tool.
final class SimulatorServer: Sendable {
    let simulator: BrokerSimulator
    private let channel: any Channel

    let origin: String

    init(_ simulator: BrokerSimulator) async throws {
        self.simulator = simulator
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Responder(simulator))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        origin = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    func stop() async { try? await channel.close() }
}

/// Hands each request over to the simulator.
private final class Responder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let simulator: BrokerSimulator
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ simulator: BrokerSimulator) { self.simulator = simulator }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body += part.readableBytesView
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head, let method = HTTPRequest.Method(head.method.rawValue) else { return }
        var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: head.uri)
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let answer = simulator.answer(to: request, body: body)
        var fields = HTTPHeaders(answer.head.headerFields.map { ($0.name.rawName, $0.value) })
        fields.replaceOrAdd(name: "Content-Length", value: "\(answer.body.count)")
        let status = HTTPResponseStatus(statusCode: answer.head.status.code)
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
#endif
