#if Client
import Synchronization
import EntitlementValues
public import HTTPTypes
import TextCodecs

extension BrokerSimulator {
    /// The largest body that is looked at: decisions with MRSS and answers of device platforms fit in.
    public static let maximumBodyLength = 262_144

    private static let scenarioField = "X-Sim-Scenario"

    /// Answers a request, and says what a transport or listener is to do with the answer.
    ///
    /// - Parameters:
    ///   - request: The request; scheme and authority are not looked at.
    ///   - body: The body; empty for none.
    /// - Returns: The answer, how long to hold it back, and how the connection is to fail.
    public func answer(to request: HTTPRequest, body: [UInt8]) -> SimulatedAnswer {
        let (real, uptime) = (time.now, time.uptime)
        let now = state.withLock { $0.clock.now(at: real) }
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let route: Route
        switch Route.find(request.method.rawValue, parts.first.map(String.init) ?? "/") {
        case .route(let found): route = found
        case .wrongMethod(let allowed, let isForBrowsers):
            let refusal = Refusal.error(.methodNotAllowed)
            var reply = Reply(refusing: isForBrowsers ? refusal.asPage : refusal)
            reply.fields["Allow"] = allowed.joined(separator: ", ")
            return finished(reply, RequestRecord(request, nil, now, nil))
        case .unknown: return refused(request, .page(status: 404, "The path is unknown."), at: now)
        }
        let scenario = state.withLock { $0.scenario(for: route, wanted: wantedScenario(request)) }
        if case .network(.dropRequest) = scenario {
            return finished(Reply(status: 503), .init(request, route, now, scenario), fault: .dropRequest)
        }
        let headers = PresentedHeaders(request.headerFields, for: route.name)
        var exchange = Exchange(
            simulator: self, route: route, headers: headers, query: parts.count > 1 ? String(parts[1]) : "",
            body: body, clientAddress: clientAddress(request), now: now)
        exchange.notes = headers.notes
        let reply = reply(&exchange, scenario, uptime)
        var record = RequestRecord(request, route, now, scenario)
        record.notes = exchange.notes
        return finished(reply, record, slowness: exchange.slowness)
    }

    private func reply(_ exchange: inout Exchange, _ scenario: Scenario?, _ uptime: Duration) -> Reply {
        if let refused = throttled(exchange, scenario, uptime) { return refused }
        switch scenario {
        case .error(let code): return Self.reply(to: exchange, refusing: .code(code))
        case .status(let status): return .page("\(status) Simulated", status: status)
        case .token(let defect): exchange.tokenDefect = defect
        case .decision(let code): exchange.forcedDecision = (code, nil)
        default: break
        }
        do throws(Refusal) {
            guard exchange.body.count <= Self.maximumBodyLength else {
                throw .page(status: 413, "The body is too long.")
            }
            let reply = try exchange.reply()
            if case .malformed(let malformation) = scenario { return malformation.spoil(reply) }
            return reply
        } catch {
            let reply = Self.reply(to: exchange, refusing: error)
            if case .malformed(let malformation) = scenario { return malformation.spoil(reply) }
            return reply
        }
    }

    private static func reply(to exchange: Exchange, refusing refusal: Refusal) -> Reply {
        Reply(refusing: exchange.route.isForBrowsers ? refusal.asPage : refusal)
    }

    /// The answer to a request too many: a page of the proxy before the broker, not JSON.
    private func throttled(_ exchange: Exchange, _ scenario: Scenario?, _ uptime: Duration) -> Reply? {
        let retryAfter: Int?
        if case .throttled(let seconds) = scenario {
            retryAfter = seconds
        } else {
            let address = exchange.clientAddress ?? ""
            let (isAdmitted, mode) = state.withLock { state in
                (!exchange.route.isThrottled || state.throttle.admit(address, at: uptime), state.throttle.mode)
            }
            if isAdmitted { return nil }
            retryAfter = mode.retryAfter
        }
        var reply = Reply.page("429 Too Many Requests", status: 429)
        if let retryAfter { reply.fields["Retry-After"] = String(retryAfter) }
        return reply
    }

    private func refused(_ request: HTTPRequest, _ refusal: Refusal, at now: Timestamp) -> SimulatedAnswer {
        finished(Reply(refusing: refusal), RequestRecord(request, nil, now, nil))
    }

    private func wantedScenario(_ request: HTTPRequest) -> String? {
        guard settings.allowsRequestScenarios, let name = HTTPField.Name(Self.scenarioField) else { return nil }
        return request.headerFields[name]
    }

    /// The address of the streaming device: the first one that the request was forwarded for.
    private func clientAddress(_ request: HTTPRequest) -> String? {
        guard let name = HTTPField.Name(KnownField.forwardedFor.rawValue) else { return nil }
        return request.headerFields[name]?.split(separator: ",").first.map { $0.filter { $0 != " " } }
    }
}
#endif
