#if Client
import ServiceResponses
import EntitlementValues
import OpenSSLBridge
import TextCodecs

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
        do throws(OpenSSLFailure) {
            return try draw(&identifiers)
        } catch {
            throw .failure(error.description)
        }
    }
}
#endif
