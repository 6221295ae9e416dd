#if Client
public import EntitlementValues

/// A programmer's brand.
public struct SimulatedRequestor: Sendable, Hashable {
    /// The id, which clients call the service provider.
    public var id: RequestorID
    /// The name for people.
    public var name: String
    /// The domains to which a browser may be sent back; subdomains are included.
    public var domains: [String]
    /// The providers with whom the brand has an agreement.
    public var mvpds: [MVPDID]
    /// The software statements that were issued for the brand's applications.
    public var statements: [SimulatedStatement]
    /// The public keys, in PEM, with which the brand's service tokens are verified.
    public var serviceTokenKeys: [String]
    /// The certificate, in PEM, for which user metadata is encrypted; `nil` if none was handed in.
    public var metadataCertificate: String?

    /// Makes a brand.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - name: The name for people; the id if none is given.
    ///   - domains: The domains to which a browser may be sent back.
    ///   - mvpds: The providers with whom the brand has an agreement.
    ///   - statements: The software statements of the brand's applications.
    ///   - serviceTokenKeys: The public keys of service tokens, in PEM.
    ///   - metadataCertificate: The certificate for user metadata, in PEM.
    public init(
        _ id: RequestorID,
        name: String? = nil,
        domains: [String],
        mvpds: [MVPDID],
        statements: [SimulatedStatement],
        serviceTokenKeys: [String] = [],
        metadataCertificate: String? = nil
    ) {
        (self.id, self.name, self.domains) = (id, name ?? id.rawValue, domains)
        (self.mvpds, self.statements) = (mvpds, statements)
        (self.serviceTokenKeys, self.metadataCertificate) = (serviceTokenKeys, metadataCertificate)
    }
}

/// A software statement that the operator issued for an application.
public struct SimulatedStatement: Sendable, Hashable {
    /// The application's id (`sub`), a UUID.
    public var id: String
    /// What clients of the application may do.
    public var scopes: [String]
    /// When it was issued, to the second; it has no end.
    public var issued: Timestamp
    /// Whether the operator revoked it: all credentials made with it are dead, and their profiles gone.
    public var isRevoked: Bool

    /// The scope of REST API version 2.
    public static let versionTwoScope = "api:client:v2"

    /// Makes a statement.
    ///
    /// - Parameters:
    ///   - id: The application's id, a UUID.
    ///   - scopes: What clients of the application may do.
    ///   - issued: When it was issued; 2000-01-01 if not given, before any time that tests set the clock to.
    ///   - isRevoked: Whether the operator revoked it.
    public init(
        id: String,
        scopes: [String] = [versionTwoScope],
        issued: Timestamp = Timestamp(milliseconds: 946_684_800_000),
        isRevoked: Bool = false
    ) {
        (self.id, self.scopes, self.issued, self.isRevoked) = (id, scopes, issued, isRevoked)
    }
}
#endif
