#if Client
import BrokerMessages
import EntitlementValues
public import HTTPTypes
import ServiceResponses
import Synchronization
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
    ///   - peer: The address of the client, which counts unless `X-Forwarded-For` names another; `nil` if there is none.
    /// - Returns: The answer, how long to hold it back, and how the connection is to fail.
    public func answer(to request: HTTPRequest, body: [UInt8], from peer: String? = nil) -> SimulatedAnswer {
        let start = now
        let answer = respond(to: request, body: body, from: peer)
        note(RecordedExchange(request, body, at: start, answer))
        return answer
    }

    private func respond(to request: HTTPRequest, body: [UInt8], from peer: String?) -> SimulatedAnswer {
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = Route.segments(of: parts.first.map(String.init) ?? "/")
        let query = parts.count > 1 ? String(parts[1]) : ""
        if let segments, (2...3).contains(segments.count), segments.starts(with: ["sim", "logout"]) {
            return logoutPage(of: segments.count == 3 ? RequestorID(segments[2]) : nil, request.method, query: query)
        }
        var reply: Reply
        var isLimited = Route.isLimited(path: parts.first ?? "")
        switch segments.map({ Route.find(request.method.rawValue, $0) }) ?? .unknown {
        case .route(let route):
            return answer(to: request, route, query: query, body: body, from: peer)
        case .wrongMethod(let allowed, let family):
            // A browser asks first whether a page may ask: what answers it is the proxy that limits requests, so it is
            // not counted.
            let isPreflight = request.method == .options
            reply = isPreflight ? Reply(status: 204) : Reply(refusing: .wrongMethod(at: family))
            reply.fields["Allow"] = allowed.joined(separator: ", ")
            isLimited = isLimited && !isPreflight
        case .unknown: reply = Reply(refusing: .page(status: 404, "The path is unknown."))
        }
        let excess = isLimited ? excess(request, from: peer) : nil
        return finished(excess ?? reply, RequestRecord(request, nil, now, nil))
    }

    /// Counts a request that leads nowhere; the answer, if it is one too many.
    private func excess(_ request: HTTPRequest, from peer: String?) -> Reply? {
        let (address, uptime) = (clientAddress(request, from: peer) ?? "", time.uptime)
        return state.withLock { state in
            state.throttle.admit(address, at: uptime) ? nil : .tooMany(retryAfter: state.throttle.mode.retryAfter)
        }
    }

    private func answer(
        to request: HTTPRequest,
        _ route: Route,
        query: String,
        body: [UInt8],
        from peer: String?
    ) -> SimulatedAnswer {
        let (real, uptime) = (time.now, time.uptime)
        let headers = PresentedHeaders(request.headerFields, for: route.endpoint)
        let (wanted, address) = (wantedScenario(request), clientAddress(request, from: peer))
        let (exchange, plan) = state.withLock { state in
            var exchange = Exchange(
                settings: settings, accessTokens: accessTokens, statements: statements, route: route, headers: headers,
                query: query, body: body, clientAddress: address, now: state.clock.now(at: real))
            (exchange.mvpd, exchange.notes) = (route.mvpd, headers.notes)
            let plan = Result { () throws(Refusal) in try exchange.plan(&state, wanting: wanted, at: uptime) }
            return (exchange, plan)
        }
        var reply = reply(to: exchange, plan)
        if case .malformed(let malformation) = exchange.scenario { reply = malformation.spoil(reply) }
        if exchange.scenario == .form { reply = reply.asForm }
        var record = RequestRecord(request, route, exchange.now, exchange.scenario)
        (record.mvpd, record.resources, record.notes) = (exchange.mvpd, exchange.resources, exchange.notes)
        return finished(reply, record, slowness: exchange.slowness)
    }

    private func reply(to exchange: Exchange, _ plan: Result<AnswerPlan, Refusal>) -> Reply {
        do throws(Refusal) {
            var reply = try carryOut(try plan.get())
            if reply.status == 200, let status = exchange.route.endpoint.successes.first { reply.status = status }
            return reply
        } catch {
            return Reply(refusing: error.inForm(of: exchange.route.endpoint.family))
        }
    }

    /// `GET /sim/logout/SP`: stands for the provider's logout page, which sends the browser back.
    ///
    /// `GET /sim/logout` without a brand, for people, shows a page that leads back to an address of any brand; with the
    /// automatic login it sends the browser there at once, too. They are not the broker's, so no scenario meets them, and
    /// the journal does not have them.
    private func logoutPage(
        of id: RequestorID?,
        _ method: HTTPRequest.Method,
        query: String
    ) -> SimulatedAnswer {
        let form = FormFields(filledIn: query)
        let url = form?["redirectUrl"]
        let brands = state.withLock { state in
            state.world.requestors.filter { id == nil || $0.id == id }
        }
        let reply: Reply
        if method != .get {
            var refusal = Reply(refusing: .wrongMethod(at: .browser))
            refusal.fields["Allow"] = "GET"
            reply = refusal
        } else if let url, brands.contains(where: { $0.allows(redirectURL: url) }) {
            let isShown = id == nil && settings.login == .form
            reply = isShown ? Page.signedOut(backTo: url).reply() : .redirect(to: url)
        } else if id == nil, form != nil, url == nil {
            reply = Page.signedOut(backTo: nil).reply()
        } else {
            reply = Reply(refusing: .page(status: 400, "The request names no place to go back to."))
        }
        return SimulatedAnswer(head: reply.head(at: now), body: reply.body, delay: .zero, fault: nil)
    }

    private func wantedScenario(_ request: HTTPRequest) -> String? {
        guard settings.allowsRequestScenarios, let name = HTTPField.Name(Self.scenarioField) else { return nil }
        return request.headerFields[name]
    }

    /// The address of the streaming device: the first one that the request was forwarded for, or the connection's.
    ///
    /// An address is in its one spelling, so that its requests are counted together. Any other text stays as it is: the
    /// journal notes it, and no refusal is documented for it.
    private func clientAddress(_ request: HTTPRequest, from peer: String?) -> String? {
        let stated = HTTPField.Name(ClientAddress.name).flatMap { request.headerFields[$0] }
        let first: String? = stated?.split(separator: ",").first.map { $0.filter { $0 != " " } }
        return (first ?? peer).map { IPEndpoint($0)?.address.text ?? $0 }
    }
}

extension RecordedExchange {
    /// An exchange of the simulator's own; an answer that is lost on the way has no status.
    init(_ request: HTTPRequest, _ body: [UInt8], at start: Timestamp, _ answer: SimulatedAnswer) {
        func fields(_ fields: HTTPFields) -> [(name: String, value: String)] {
            fields.map { ($0.name.rawName, $0.value) }
        }
        let isLost = answer.fault != nil
        self.init(
            requested: start, answered: start + answer.delay, method: request.method.rawValue,
            address: WebAddress(request.path ?? "/"), fields: fields(request.headerFields), body: body,
            status: isLost ? 0 : answer.head.status.code, answerFields: fields(answer.head.headerFields),
            answerBody: isLost ? [] : answer.body)
    }
}

extension Exchange {
    /// Does what the request asks for, unless a scenario or the limit of requests keeps it from that.
    fileprivate mutating func plan(
        _ state: inout SimulatorState,
        wanting wanted: String?,
        at uptime: Duration
    ) throws(Refusal) -> AnswerPlan {
        let found = state.scenario(for: route, wanted: wanted)
        if wanted != nil, found == nil { notes.append("X-Sim-Scenario names no scenario for this request") }
        // A request over the limit ends at the proxy, so it uses up no scenario of the broker.
        let isLimited = route.endpoint.family != .reset && found?.scenario.precedesLimit != true
        guard !isLimited || state.throttle.admit(clientAddress ?? "", at: uptime) else {
            return .reply(.tooMany(retryAfter: state.throttle.mode.retryAfter))
        }
        if let found { state.countDown(found) }
        scenario = found?.scenario
        switch scenario {
        case .network(.dropRequest): return .reply(Reply(status: 503))
        case .throttled(let seconds): return .reply(.tooMany(retryAfter: seconds))
        case .error(let code): throw refusal(simulating: code)
        case .status(let status): return .reply(.page("\(status) Simulated", status: status))
        case .token(let defect): tokenDefect = defect
        case .decision(let code): forcedDecision = (code, nil)
        default: break
        }
        guard body.count <= BrokerSimulator.maximumBodyLength else {
            throw .page(status: 413, "The body is too long.")
        }
        return try plan(&state)
    }

    /// Registration has errors of its own form; any other code is one of version 2 there, too.
    private func refusal(simulating code: EnhancedErrorCode) -> Refusal {
        let fault = RegistrationErrorCode(code.rawValue)
        return route.endpoint.family == .registration && RegistrationErrorCode.documented.contains(fault)
            ? .registration(fault, "Simulated.") : .code(code)
    }
}

extension Scenario {
    /// Whether the request does not come as far as the limit of requests, or is refused in its place.
    fileprivate var precedesLimit: Bool {
        switch self {
        case .throttled, .network(.dropRequest): true
        default: false
        }
    }
}

extension Reply {
    /// The answer to a request too many: a page of the proxy before the broker, not JSON.
    fileprivate static func tooMany(retryAfter: Int?) -> Reply {
        var reply = Reply.page("429 Too Many Requests", status: 429)
        if let retryAfter { reply.fields["Retry-After"] = String(retryAfter) }
        return reply
    }
}
#endif
