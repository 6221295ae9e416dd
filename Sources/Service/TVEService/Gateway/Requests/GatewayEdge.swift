#if Service
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers the requests of apps and of their users' browsers.
///
/// A request passes the gate before its route sees it: where it comes from, which methods the path takes, which device it is
/// of, and whether a page may have sent it with the device's cookie.
struct GatewayEdge {
    let state: ServiceState
    let gateway: Gateway
    /// The one that the gateway is of.
    let configuration: ActiveConfiguration

    /// Answers a request, also one that is refused.
    ///
    /// `parameter` is the part of the path that varies; `nil` if it has none. Throws the error of reading a body
    /// whose client closed the connection.
    func respond(
        to request: Request,
        at path: GatewayPath,
        parameter: String?,
        on channel: any Channel
    ) async throws -> Response {
        let rules = gateway.settings.crossOrigin
        let origin = request.headers[.origin]
        if request.method == .options, let rules {
            return Response(
                status: .noContent,
                headers: rules.preflight(
                    for: origin, taking: path.methods.keys.map(\.rawValue).sorted(), with: Self.crossOriginFields))
        }
        let wishes = request.queryParameters.values(of: "events")
        var response = try await AnsweredEvents.adding(if: wishes == ["1"]) {
            do {
                guard wishes.isEmpty || wishes == ["1"] else {
                    throw GatewayRefusal.badRequest("events is 1, once, or left out")
                }
                let response = try await answer(request, at: path, parameter: parameter, on: channel)
                state.metrics.gateway.count(path.endpoint, nil)
                return response
            } catch {
                guard let refusal = GatewayRefusal(any: error) else { throw error }
                state.metrics.gateway.count(path.endpoint, refusal)
                return refusal.response
            }
        }
        rules?.mark(&response.headers, for: origin)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The header fields that pages of other origins may send.
    private static let crossOriginFields = ["Authorization", "Content-Type", "If-None-Match"]

    private func answer(
        _ request: Request,
        at path: GatewayPath,
        parameter: String?,
        on channel: any Channel
    ) async throws -> Response {
        let methods = path.methods
        let method = request.method == .head && methods[.head] == nil ? .get : request.method
        guard let action = methods[method] else {
            let taken = methods.keys.sorted { $0.rawValue < $1.rawValue }
            var refusal = GatewayRefusal(
                .methodNotAllowed, "method_not_allowed",
                detail: "the path takes \(taken.map(\.rawValue).joined(separator: " or "))")
            refusal.allowed = taken
            throw refusal
        }
        let call = GatewayCall(
            state: state, gateway: gateway, configuration: configuration, request: request,
            endpoint: path.endpoint, parameter: parameter,
            client: try ClientConnection(of: request, on: channel, by: gateway.settings))
        switch action {
        case .open(let answer): return try await answer(call)
        case .device(let answer): return try await answer(try await DeviceCall(admitting: call))
        }
    }
}
#endif
