#if Client
public import EntitlementValues
import TextCodecs

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

extension SimulatedRequestor {
    /// Whether a browser may be sent to an absolute address: its host is one of the domains, or below one.
    ///
    /// Applications bring schemes of their own, so any scheme is taken but those that run what is in the address.
    func allows(redirectURL url: String) -> Bool {
        guard let host = AddressHost.host(of: url) else { return false }
        return domains.contains { domain in
            let domain = domain.lowercased()
            return host == domain || host.hasSuffix("." + domain)
        }
    }

    /// Whether a domain is one of the brand's.
    func has(domain: String) -> Bool {
        let name = domain.lowercased()
        return domains.contains { $0.lowercased() == name || name.hasSuffix("." + $0.lowercased()) }
    }
}

/// Finds the host in an address.
enum AddressHost {
    /// The host in lower case; `nil` for an address that could lead elsewhere than it seems.
    ///
    /// Refused are user names, backslashes, white space, controls and everything that is not ASCII: browsers do not
    /// agree on such addresses.
    static func host(of url: String) -> String? {
        let bytes = Array(url.utf8)
        guard bytes.count <= 2048, bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let rest = bytes[(colon + 3)...]
        let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authority = rest[..<(end ?? rest.endIndex)]
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: "%")) else {
            return nil
        }
        let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || !parts[1].isEmpty && parts[1].allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return String(decoding: parts[0], as: UTF8.self).lowercased()
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter,
            bytes.allSatisfy({
                $0.isASCIILetter || $0.isASCIIDigit
                    || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
            })
        else { return false }
        return !["javascript", "data", "vbscript", "file", "blob"]
            .contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }
}
#endif
