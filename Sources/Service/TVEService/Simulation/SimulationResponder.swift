#if Service
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore

/// Hands requests to a simulator's site, and does to the connection what its scenarios ask for.
struct SimulationResponder: HTTPResponder {
    let site: SimulatorSite
    let time: TimeSource

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let body: [UInt8]
        do {
            body = try await request.bytes(upTo: BrokerSimulator.maximumBodyLength)
        } catch {
            let broken = RequestError(.badRequest, "broken", detail: "the request broke off")
            return (RequestError(atService: error) ?? broken).serviceForm.answering(request)
        }
        let answer = site.answer(to: request.head, body: body, from: context.channel.remoteAddress?.ipAddress)
        if answer.delay > .zero { try await time.sleep(untilUptime: time.uptime + answer.delay.duration) }
        switch answer.fault {
        case nil, .delay: break
        case .dropRequest, .dropAnswer:
            try await context.channel.close()
            throw CancellationError()
        case .resetAfterHead: return response(answer.head, Self.breaking(answer.body.count, context.channel))
        }
        return response(answer.head, ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))).answering(request)
    }

    private func response(_ head: HTTPResponse, _ body: ResponseBody) -> Response {
        Response(status: head.status, headers: head.headerFields, body: body)
    }

    /// A body that never comes: the connection ends after the head, which promised so many bytes.
    private static func breaking(_ count: Int, _ channel: any Channel) -> ResponseBody {
        ResponseBody(contentLength: max(1, count)) { _ in
            try await channel.close()
            throw CancellationError()
        }
    }
}

/// A request's connection.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
}
#endif
