#if Client
public import BrokerClient
public import EntitlementValues

// Calls of the operator's library that have no counterpart: the compiler says why.
extension EntitlementSession {
    /// Refused: a signed requestor identifier belongs to the older protocol.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - signedRequestorID: Its signed identifier, whose place a software statement takes.
    ///   - origins: The origins to ask.
    ///   - secret: A secret of the older protocol.
    ///   - publicKey: A public key of the older protocol.
    /// - Throws: Always.
    @available(
        *, unavailable,
        message: "signed requestor identifiers belong to the older protocol; a software statement takes their place"
    )
    public func setRequestor(
        _ id: RequestorID,
        signedRequestorID: String,
        at origins: [BrokerOrigin] = [],
        secret: String = "",
        publicKey: String = ""
    ) async throws(EntitlementFlowError) { throw .unsupported(.unknownData) }

    /// Refused: data has no place in requests for authorization; the identity for promotional temporary access is
    /// handed to `getAuthentication`.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func checkAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }

    /// Refused, as ``checkAuthorization(_:data:)``.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func getAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }
}
#endif
