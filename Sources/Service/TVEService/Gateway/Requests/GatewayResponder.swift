#if Service
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers the requests of apps and of their users' browsers.
///
/// A request passes the gate before its route sees it: where it comes from, which methods the path takes, which device it is
/// of, and whether a page may have sent it with the device's cookie.
struct GatewayResponder {
    let state: ServiceState
    let gateway: Gateway
    /// The one that the gateway is of.
    let configuration: ActiveConfiguration

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: Its path.
    ///   - channel: Its connection.
    /// - Returns: The answer, also to a request that is refused.
    /// - Throws: The error of reading a body whose client closed the connection.
    func respond(to request: Request, at path: GatewayPath, on channel: any Channel) async throws -> Response {
        let rules = gateway.settings.crossOrigin
        let origin = request.headers[.origin]
        let methods = GatewayRoute.table[path.endpoint] ?? [:]
        if request.method == .options, let rules {
            return Response(
                status: .noContent,
                headers: rules.preflight(
                    for: origin, taking: methods.keys.map(\.rawValue).sorted(), with: Self.crossOriginFields))
        }
        let wishes = request.queryParameters.values(of: "events")
        var response = try await AnsweredEvents.adding(if: wishes == ["1"]) {
            do {
                guard wishes.isEmpty || wishes == ["1"] else {
                    throw GatewayRefusal.badRequest("events is 1, once, or left out")
                }
                let response = try await answer(request, at: path, on: channel, by: methods)
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
        on channel: any Channel,
        by methods: GatewayRoute.Methods
    ) async throws -> Response {
        guard !methods.isEmpty else { throw GatewayRefusal.notFound }
        let method = request.method == .head && methods[.head] == nil ? .get : request.method
        guard let route = methods[method] else {
            let taken = methods.keys.sorted { $0.rawValue < $1.rawValue }
            var refusal = GatewayRefusal(
                .methodNotAllowed, "method_not_allowed",
                detail: "the path takes \(taken.map(\.rawValue).joined(separator: " or "))")
            refusal.allowed = taken
            throw refusal
        }
        let call = GatewayCall(
            state: state, gateway: gateway, configuration: configuration, request: request, path: path,
            client: try ClientConnection(of: request, on: channel, by: gateway.settings))
        switch route {
        case .open(let handle): return try await handle(call)
        case .device(let handle): return try await handle(try await admit(call))
        }
    }

    /// Checks the token or the cookie of a device.
    private func admit(_ call: GatewayCall) async throws(GatewayRefusal) -> GatewayRequest {
        let (text, isByCookie) = try call.presentedToken()
        let token = try gateway.tokens.open(text, at: call.now)
        guard let app = gateway.apps[token.app] else { throw .unknownApp }
        if isByCookie { try call.checkSender() }
        try await gateway.checkKeys()
        var record = try await gateway.devices.record(of: token.key)
        if let known = record {
            guard known.accepts(token) else { throw .deviceTokenRevoked }
            var used = known
            if used.use(token) {
                record = try await gateway.devices.change(token.key) { device throws(GatewayRefusal) in
                    guard device.accepts(token) else { throw .deviceTokenRevoked }
                    device.use(token)
                    return device
                }
            }
        }
        return GatewayRequest(call: call, app: app, credential: token, isByCookie: isByCookie, record: record)
    }
}
#endif
