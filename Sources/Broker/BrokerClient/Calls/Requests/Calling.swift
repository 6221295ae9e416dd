#if Client
import BrokerMessages
import EntitlementValues
package import HTTPTypes
import HostSystem
import ServiceResponses

extension Caller {
    /// Makes a call of an endpoint that answers with a body of JSON.
    ///
    /// `timeLimit` is for the whole call; `nil` for the limit of the settings. `fault` tells why an answer that was
    /// read does not answer the question; `nil` if it does.
    func call<Answer: ServiceResponse>(
        _ endpoint: BrokerEndpoint,
        _ form: RequestForm,
        priority: RequestPriority = .foreground,
        timeLimit: Duration?,
        fault: @escaping @Sendable (Answer) -> ServiceResponseError? = { _ in nil }
    ) async throws(BrokerError) -> Answer {
        let call = try broker.readingCall(endpoint, form, known: KnownFields(of: self), fault: fault)
        return try await perform(call, priority: priority, timeLimit: timeLimit)
    }

    /// Makes a call with the device's access token, and repeats what is safe to repeat.
    ///
    /// `timeLimit` is for the whole call; `nil` for the limit of the settings.
    package func perform<Answer: Sendable>(
        _ call: BrokerCall<Answer>,
        priority: RequestPriority = .foreground,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> Answer {
        var client: ClientCredentials?
        return try await running(call.endpoint, priority: priority, timeLimit: timeLimit, as: &client) {
            (run: inout CallRun) async throws(BrokerError) in
            try await run.answer(to: call, with: self)
        }
    }

    /// Makes calls of an endpoint that are one for the application: with one time limit, and counted once.
    ///
    /// `timeLimit` is for all of them; `nil` for the limit of the settings. `client` is the one as which the
    /// application's call has begun; `nil` until it has had an access token.
    func running<Answer: Sendable>(
        _ endpoint: BrokerEndpoint,
        priority: RequestPriority = .foreground,
        timeLimit: Duration?,
        as client: inout ClientCredentials?,
        _ calls: (inout CallRun) async throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        let broker = broker
        let deadline = broker.time.uptime + (timeLimit ?? broker.settings.timeLimit)
        return try await broker.observer.measuring(endpoint, by: self) { () throws(BrokerError) in
            var run = CallRun(of: endpoint, at: broker, priority, before: deadline, goingOnAs: client)
            defer { client = run.client }
            return try await calls(&run)
        }
    }
}

extension Broker {
    /// Describes a call of an endpoint that answers with a body of JSON; nothing is sent.
    func readingCall<Answer: ServiceResponse>(
        _ endpoint: BrokerEndpoint,
        _ form: RequestForm,
        known: KnownFields,
        fault: @escaping @Sendable (Answer) -> ServiceResponseError? = { _ in nil }
    ) throws(BrokerError) -> BrokerCall<Answer> {
        let request = try request(endpoint, form, known: known)
        return BrokerCall(endpoint, request, body: form.body) { (answer) throws(BrokerError) in
            let response = try Answer(reading: answer)
            if let fault = fault(response) { throw .unreadable(UnreadableAnswer(answer, fault: fault)) }
            return response
        }
    }

    /// Makes the request of an endpoint, without `Authorization`, from a form and the values that are known; throws
    /// `.request`.
    func request(_ endpoint: BrokerEndpoint, _ form: RequestForm, known: KnownFields) throws(BrokerError) -> HTTPRequest
    {
        guard let origin = environment.origin(of: endpoint) else { throw .request(.noManagement) }
        var fields = try rethrowing(known.fields(for: endpoint, settings: settings), as: BrokerError.request)
        fields.append(Self.accept)
        fields.append(known.userAgent ?? Self.userAgent)
        if let mediaType = form.mediaType { fields.append(HTTPField(name: .contentType, value: mediaType)) }
        return HTTPRequest(
            method: endpoint.httpMethod, scheme: origin.scheme.rawValue, authority: origin.authority,
            path: try rethrowing(form.target(at: endpoint), as: BrokerError.request), headerFields: fields)
    }

    private static let accept = HTTPField(name: .accept, value: DecisionsRequest.mediaType)
    private static let userAgent = HTTPField(name: .userAgent, value: "swift-tve-tokens/\(releaseVersion)")

    // MARK: Registration

    /// Describes the call that registers an application for a device, and that carries no access token; nothing is
    /// sent.
    ///
    /// The broker counts requests by the client's address. Throws `.request`.
    func registrationCall(
        _ request: RegistrationRequest,
        for device: Device,
        at clientAddress: ClientAddress?
    ) throws(BrokerError) -> BrokerCall<ClientCredentials> {
        try readingCall(.register, RequestForm(body: request), known: KnownFields(of: device, at: clientAddress))
    }

    /// Describes the call that brings an access token, and that carries none; nothing is sent.
    ///
    /// The credentials stand in the body, never in the address. The broker counts requests by the client's address.
    /// Throws `.request`.
    func tokenCall(
        _ request: AccessTokenRequest,
        for device: Device,
        at clientAddress: ClientAddress?
    ) throws(BrokerError) -> BrokerCall<AccessToken> {
        try readingCall(.token, RequestForm(body: request), known: KnownFields(of: device, at: clientAddress))
    }
}

extension BrokerEndpoint {
    /// The method of the endpoint's requests.
    package var httpMethod: HTTPRequest.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .delete: .delete
        }
    }
}
#endif
