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
        let (statement, redirectURI) = try registrationRequest()
        let claims: JSONWebTokenClaims
        do throws(RequestorSigningError) {
            claims = try statements.verify(statement, expecting: CompactSigner.expectations, at: now).claims
        } catch {
            throw .registration(.invalidSoftwareStatement, "The software statement is refused: \(error.code).")
        }
        guard let id = claims.subject else {
            throw .registration(.invalidSoftwareStatement, "The software statement has no subject.")
        }
        let client = try state.register(id, redirectURI: redirectURI, at: now)
        let credentials = ClientCredentials(
            clientID: client.id, clientSecret: client.secret, issuedAt: client.issued,
            redirectURIs: client.redirectURIs, scopes: client.scopes.map { AccessScope($0) })
        return .json(credentials.encoded())
    }

    private func registrationRequest() throws(Refusal) -> (statement: String, redirectURI: String?) {
        do throws(JSONFault) {
            return try body.withSpan { text throws(JSONFault) in
                let object = try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent)
                return (
                    try object.requiredIdentifier("software_statement", in: text),
                    try object.identifier("redirect_uri", in: text)
                )
            }
        } catch {
            throw .registration(.invalidRequest, "The body is refused: \(error.reason).")
        }
    }

    /// `POST /o/client/token`: says which access token is to be signed.
    ///
    /// The fields may stand in the body or, as one page of the reference shows, in the query.
    mutating func orderAccessToken(_ state: inout SimulatorState) throws(Refusal) -> AccessTokenOrder {
        try checkHeaders()
        if body.isEmpty, !query.isEmpty { notes.append("the fields stand in the query, where proxies log them") }
        guard let form = FormFields(body.isEmpty ? Array(query.utf8) : body),
            let grant = form["grant_type"], let id = form["client_id"], let secret = form["client_secret"]
        else { throw .registration(.invalidRequest, "grant_type, client_id and client_secret are needed, once each.") }
        guard grant == "client_credentials" else {
            throw .registration(.unsupportedGrantType, "The grant_type is not client_credentials.")
        }
        let client = try state.client(id, secret: secret)
        let tokenID = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.uuid() }
        guard !client.scopes.isEmpty else {
            throw .registration(.unauthorizedClient, "The software statement allows nothing.")
        }
        return AccessTokenOrder(
            client: client, id: tokenID, issued: now, lifetime: state.world.lifetimes.accessToken)
    }
}
#endif
