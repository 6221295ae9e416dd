#if Client
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Hands the requests of a connection over to a simulator, and carries faults of the network out.
final class SimulatorResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let simulator: BrokerSimulator
    private let time: TimeSource
    private let heldBack: HeldBackAnswers
    private let rewriter: SimulatorServer.Rewriter
    private let observer: SimulatorServer.Observer
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// Waits until an answer is sent that is held back.
    private var delay: Task<Void, Never>?

    init(
        _ simulator: BrokerSimulator,
        time: TimeSource,
        holdingBack heldBack: HeldBackAnswers,
        rewritingBy rewriter: @escaping SimulatorServer.Rewriter,
        _ observer: @escaping SimulatorServer.Observer
    ) {
        (self.simulator, self.time, self.heldBack) = (simulator, time, heldBack)
        (self.rewriter, self.observer) = (rewriter, observer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body += part.readableBytesView
        case .end: answer(context.channel)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        delay?.cancel()
        context.fireChannelInactive()
    }

    private func answer(_ channel: any Channel) {
        guard let head, let method = HTTPRequest.Method(head.method.rawValue) else { return }
        var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: head.uri)
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let answer = simulator.answer(to: request, body: body)
        observer(request, body, answer)
        let sent = rewriter(head.uri, answer.body)
        guard answer.delay > .zero else { return answer.send(sent, over: channel) }
        let held = HeldBackAnswer(answer: answer, body: sent, channel: channel, time: time, counter: heldBack)
        delay = Task { await held.send() }
    }
}

/// An answer that a scenario wants late.
private struct HeldBackAnswer: Sendable {
    let answer: SimulatedAnswer
    let body: [UInt8]
    let channel: any Channel
    let time: TimeSource
    let counter: HeldBackAnswers

    /// Sends the answer when it is due; never if the task is cancelled before, since the client has gone then.
    func send() async {
        counter.begin()
        do throws(CancellationError) {
            try await time.sleep(untilUptime: time.uptime + answer.delay.duration)
        } catch {
            return counter.end()
        }
        counter.end()
        answer.send(body, over: channel)
    }
}

extension SimulatedAnswer {
    /// Sends the answer, or breaks the connection as the answer's fault says.
    fileprivate func send(_ body: [UInt8], over channel: any Channel) {
        switch fault {
        case .dropRequest, .dropAnswer:
            channel.close(promise: nil)
            return
        case .resetAfterHead, .delay, nil: break
        }
        let isBroken = fault == .resetAfterHead
        var fields = HTTPHeaders(head.headerFields.map { ($0.name.rawName, $0.value) })
        // A connection that breaks after the head has promised a body.
        fields.replaceOrAdd(name: "Content-Length", value: "\(isBroken ? max(1, body.count) : body.count)")
        let status = HTTPResponseStatus(statusCode: head.status.code)
        let head = HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))
        guard !isBroken else {
            channel.writeAndFlush(head).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        channel.write(head, promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }
}
#endif
