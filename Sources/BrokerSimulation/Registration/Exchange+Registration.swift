#if Client
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
import RequestorSigning
import ServiceResponses

extension Exchange {
    /// `POST /o/client/register`: makes credentials for an instance of an application.
    func register(_ state: inout SimulatorState) throws(Refusal) -> Reply {
        try checkHeaders()
        let request = try registrationRequest()
        let claims: JSONWebTokenClaims
        do throws(RequestorSigningError) {
            claims = try statements.verify(request.statement.text, expecting: CompactSigner.expectations, at: now)
                .claims
        } catch {
            throw .registration(.invalidSoftwareStatement, "The software statement is refused: \(error.code).")
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
        let request: AccessTokenRequest
        do throws(BrokerRequestError) {
            request = try AccessTokenRequest(parsing: body.isEmpty ? Array(query.utf8) : body)
        } catch {
            throw .registration(.invalidRequest, "grant_type, client_id and client_secret are needed, once each.")
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
#endif
