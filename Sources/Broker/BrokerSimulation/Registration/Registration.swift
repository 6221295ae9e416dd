#if Client
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
import RequestorSigning
import ServiceResponses
import TextCodecs

extension Exchange {
    /// `POST /o/client/register`: makes credentials for an instance of an application.
    func register(_ state: inout SimulatorState) throws(Refusal) -> Reply {
        try checkHeaders()
        let request = try registrationRequest()
        let claims = try rethrowing(
            statements.verify(request.statement.text, expecting: CompactSigner.expectations, at: now).claims
        ) { (error: RequestorSigningError) in
            Refusal.registration(.invalidSoftwareStatement, "The software statement is refused: \(error.code).")
        }
        guard let id = claims.subject else {
            throw .registration(.invalidSoftwareStatement, "The software statement has no subject.")
        }
        let client = try state.register(id, redirectURI: request.redirectURI, at: now)
        let credentials = ClientCredentials(
            clientID: client.id, clientSecret: client.secret, issuedAt: client.issued,
            redirectURIs: client.redirectURIs, scopes: client.scopes.map { AccessScope($0) })
        return .json(credentials.encoded())
    }

    private func registrationRequest() throws(Refusal) -> RegistrationRequest {
        do throws(BrokerRequestError) {
            return try RegistrationRequest(parsing: body)
        } catch .badStatement(let fault) where fault != .empty {
            throw .registration(.invalidSoftwareStatement, "The software statement \(fault).")
        } catch {
            throw .registration(.invalidRequest, "The body is refused: \(error).")
        }
    }

    /// `POST /o/client/token`: says which access token is to be signed.
    ///
    /// The fields may stand in the body or, as one page of the reference shows, in the query.
    mutating func orderAccessToken(_ state: inout SimulatorState) throws(Refusal) -> AccessTokenOrder {
        try checkHeaders()
        if body.isEmpty, !query.isEmpty { notes.append("the fields stand in the query, where proxies log them") }
        let request = try rethrowing(AccessTokenRequest(parsing: body.isEmpty ? Array(query.utf8) : body)) {
            (_: BrokerRequestError) in
            Refusal.registration(.invalidRequest, "grant_type, client_id and client_secret are needed, once each.")
        }
        guard request.grantType == .clientCredentials else {
            throw .registration(.unsupportedGrantType, "The grant_type is not client_credentials.")
        }
        let client = try state.client(request.clientID, secret: request.clientSecret)
        let tokenID = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.uuid() }
        guard !client.scopes.isEmpty else {
            throw .registration(.unauthorizedClient, "The software statement allows nothing.")
        }
        return AccessTokenOrder(
            client: client, id: tokenID, issued: now, lifetime: state.world.lifetimes.accessToken)
    }
}

extension SimulatorState {
    /// The brand and the statement of an application.
    func statement(_ id: String) -> (requestor: SimulatedRequestor, statement: SimulatedStatement)? {
        for requestor in world.requestors {
            if let statement = requestor.statements.first(where: { $0.id == id }) { return (requestor, statement) }
        }
        return nil
    }

    /// Registers an instance of an application.
    mutating func register(
        _ statementID: String,
        redirectURI: String?,
        at now: Timestamp
    ) throws(Refusal) -> RegisteredClient {
        guard let (requestor, statement) = statement(statementID) else {
            throw .registration(.invalidSoftwareStatement, "The software statement is not known.")
        }
        guard !statement.isRevoked else {
            throw .registration(.unapprovedSoftwareStatement, "The software statement was revoked.")
        }
        if let redirectURI, !requestor.allows(redirectURL: redirectURI) {
            throw .registration(.invalidRedirectURI, "The redirect_uri is not in a domain of the requestor.")
        }
        let id = try drawing { (ids) throws(OpenSSLFailure) in try ids.uuid() }
        let secret = try drawing { (ids) throws(OpenSSLFailure) in try ids.secret() }
        let client = RegisteredClient(
            id: id, secret: secret, statement: statementID, requestor: requestor.id, scopes: statement.scopes,
            redirectURIs: redirectURI.map { [$0] } ?? [], issued: now)
        clients[id] = client
        return client
    }

    /// The client of some credentials.
    func client(_ id: String, secret: String) throws(Refusal) -> RegisteredClient {
        guard let client = clients[id], client.secret.hasSameBytes(as: secret), isAlive(client) else {
            throw .registration(.invalidClient, "The credentials are not known, or were revoked.")
        }
        return client
    }

    /// Whether neither the client nor its statement was revoked.
    func isAlive(_ client: RegisteredClient) -> Bool {
        guard !client.isRevoked, let statement = statement(client.statement)?.statement else { return false }
        return !statement.isRevoked
    }

    /// The client that an access token names.
    func client(ofToken subject: String, generation: Int64) throws(Refusal) -> RegisteredClient {
        guard let client = clients[subject], isAlive(client), generation == client.generation else {
            throw .code(.invalidAccessTokenClientApplication)
        }
        return client
    }

    /// Draws from the source of ids.
    mutating func drawing<Value>(
        _ draw: (inout IdentifierSource) throws(OpenSSLFailure) -> Value
    ) throws(Refusal) -> Value {
        try rethrowing(draw(&identifiers)) { (failure: OpenSSLFailure) in Refusal.failure(failure.description) }
    }
}

/// An instance of an application that was registered.
struct RegisteredClient: Sendable, Hashable {
    let id: String
    let secret: String
    /// The id of the software statement with which it was registered.
    let statement: String
    let requestor: RequestorID
    let scopes: [String]
    let redirectURIs: [String]
    let issued: Timestamp
    var isRevoked = false
    /// How often all access tokens were made to end; only those of the current generation are taken.
    ///
    /// Instants would not do: a token can be issued and ended within one second, and the clock can be set back.
    var generation: Int64 = 0
}
#endif
