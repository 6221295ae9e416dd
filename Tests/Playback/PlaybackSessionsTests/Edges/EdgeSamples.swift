import EntitlementValues
import PlaybackSessions
import TestVectors
import Testing

/// Keys of grants that the tests share; those of the vectors.
enum EdgeSamples {
    static let secret = digits(1)
    static let otherSecret = digits(33)
    static let origin = "https://d111111abcdef8.cloudfront.net"
    static let pairs = [["K2JCJMDEHXQW5F", "test-only-issuer-2048"]]
    static let pairsP256 = [["K2JCJMDEHXQW5F", "p256/test-only-session"]]

    /// The digits of 32 bytes that follow each other.
    static func digits(_ first: UInt8) -> String {
        (first..<first + 32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func secrets(_ texts: [String]) throws -> EdgeSecrets {
        try EdgeSecrets(texts.map { try EdgeSecret(Array($0.utf8), named: "secret") })
    }

    static func links(_ texts: [String] = [secret]) throws -> SecureLinks {
        try SecureLinks(secrets: secrets(texts))
    }

    static func tokens(_ texts: [String] = [secret], salt: String? = nil) throws -> EdgeTokens {
        try EdgeTokens(secrets: secrets(texts), salt: salt)
    }

    static func policies(
        _ pairs: [[String]] = pairs,
        at origin: String = origin,
        usingLegacySHA1 usesLegacySHA1: Bool = false
    ) throws -> SignedPolicies {
        let pairs = try pairs.map { try PolicyKeyPair(id: $0[0], key: Samples.file("\($0[1]).pkcs8.pem")) }
        return try SignedPolicies(keys: PolicyKeyPairs(pairs), origin: origin, usingLegacySHA1: usesLegacySHA1)
    }

    /// Each key is the digits of a secret, or the name of a file.
    static func commonAccess(
        _ keys: [String] = [secret],
        host: String? = nil,
        issuer: String? = nil,
        audience: String? = nil,
        tagged: Bool = true
    ) throws -> CommonAccessTokens {
        let ring = try keys.map { name in
            if name.hasSuffix(".pem") { return try Samples.file(name) }
            return try SessionKey(Vectors.bytes(hexadecimal: name), named: "secret")
        }
        return try CommonAccessTokens(
            keys: SessionKeys(ring), host: host, issuer: issuer, audience: audience, hasWebTokenTag: tagged)
    }

    static func grant(
        _ path: String = "/live/a/",
        lasting lifetime: TimeToLive = .minutes(5),
        client: SessionClient = .unbound
    ) throws -> EdgeGrant {
        let path = path.hasSuffix("/") ? try EdgePath(folder: path) : try EdgePath(file: path)
        return try EdgeGrant(path: path, expires: Samples.now + lifetime, client: client)
    }

    /// The code of an outcome.
    static func code(of verify: () throws -> VerifiedEdgeGrant) throws -> String {
        do {
            _ = try verify()
            return "valid"
        } catch let error as PlaybackSessionError {
            return error.code
        }
    }
}

/// The keys are read once: a test that presents hundreds of requests would else read them as often.
private let policies = rings()
private let policiesP256 = rings(EdgeSamples.pairsP256)
private let legacyPolicies = rings(usingLegacySHA1: true)

private func rings(
    _ first: [[String]] = EdgeSamples.pairs,
    usingLegacySHA1 usesLegacySHA1: Bool = false
) -> Result<[EdgeCarrier.Keys: SignedPolicies], any Error> {
    Result {
        try [EdgeCarrier.Keys.first, .second, .both].reduce(into: [:]) {
            $0[$1] = try EdgeSamples.policies($1.pairs(first), usingLegacySHA1: usesLegacySHA1)
        }
    }
}

/// A way to carry a grant, for tests that hold for all of them.
enum EdgeCarrier: String, CaseIterable {
    case link, linkInQuery, token, tokenCookie, policy, policyCookies, policyP256, legacyPolicy, legacyPolicyCookies
    case access, accessCookie, accessField

    /// The target and the cookies of a request for a path with a grant.
    func request(_ path: String, with issued: IssuedEdgeGrant, from client: SessionClient = .unbound) throws
        -> EdgeRequest
    {
        let query = issued.parameters.query
        let cookies = issued.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        return switch self {
        case .link: try EdgeRequest(target: (issued.pathPrefix ?? "") + path, client: client)
        case .linkInQuery, .token, .policy, .policyP256, .legacyPolicy, .access:
            try EdgeRequest(target: "\(path)?\(query)", client: client)
        case .tokenCookie, .policyCookies, .legacyPolicyCookies, .accessCookie:
            try EdgeRequest(target: path, cookies: cookies, client: client)
        case .accessField: try EdgeRequest(target: path, accessToken: issued.cookies.first?.value, client: client)
        }
    }

    /// Which keys are in a ring; the first signs.
    enum Keys { case first, second, both }

    /// The policies of this form.
    private func signedPolicies(_ keys: Keys) throws -> SignedPolicies {
        let rings =
            switch self {
            case .policyP256: policiesP256
            case .legacyPolicy, .legacyPolicyCookies: legacyPolicies
            default: policies
            }
        return try #require(rings.get()[keys])
    }

    func issue(_ grant: EdgeGrant, by keys: Keys = .first) throws -> IssuedEdgeGrant {
        switch self {
        case .link, .linkInQuery: try EdgeSamples.links(keys.secrets).issue(grant)
        case .token, .tokenCookie: try EdgeSamples.tokens(keys.secrets).issue(grant)
        case .access, .accessCookie, .accessField: try EdgeSamples.commonAccess(keys.secrets).issue(grant)
        default: try signedPolicies(keys).issue(grant)
        }
    }

    /// The code of the verdict on a request.
    func code(
        _ request: EdgeRequest,
        by keys: Keys = .first,
        at now: Timestamp = Samples.now,
        opening path: String = "/live/a/"
    ) throws -> String {
        try EdgeSamples.code {
            switch self {
            case .link, .linkInQuery:
                let path = path.hasSuffix("/") ? try EdgePath(folder: path) : try EdgePath(file: path)
                return try EdgeSamples.links(keys.secrets).verify(request, opening: path, at: now)
            case .token, .tokenCookie: return try EdgeSamples.tokens(keys.secrets).verify(request, at: now)
            case .access, .accessCookie, .accessField:
                return try EdgeSamples.commonAccess(keys.secrets).verify(request, at: now)
            default: return try signedPolicies(keys).verify(request, at: now)
            }
        }
    }
}

extension EdgeCarrier.Keys {
    var secrets: [String] {
        switch self {
        case .first: [EdgeSamples.secret]
        case .second: [EdgeSamples.otherSecret]
        case .both: [EdgeSamples.otherSecret, EdgeSamples.secret]
        }
    }

    func pairs(_ first: [[String]]) -> [[String]] {
        let other = [["K3OTHER", "test-only-other-2048"]]
        return switch self {
        case .first: first
        case .second: other
        case .both: other + first
        }
    }
}
