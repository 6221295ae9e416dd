public import EntitlementValues

/// Sets the tolerances of a verifier of JSON Web Tokens.
///
/// The defaults fit most uses.
public struct JSONWebTokenPolicy: Sendable, Hashable {
    /// How long after its expiry a token is still accepted.
    public let leeway: TimeToLive
    /// How far in the future `iat` and `nbf` may lie, since clocks differ by seconds.
    public let futureTolerance: TimeToLive
    /// Whether a token without `exp` is refused.
    public let requiresExpiry: Bool
    /// The maximum length of a token, in bytes.
    public let maximumLength: Int

    /// No leeway, 60 seconds of tolerance for the future, `exp` required, texts up to 64 KiB.
    public static let standard = JSONWebTokenPolicy(requiresExpiry: true)
    /// The same, but `exp` may be missing: software statements are good until revoked.
    public static let softwareStatement = JSONWebTokenPolicy(requiresExpiry: false)

    private init(requiresExpiry: Bool) {
        leeway = .zero
        futureTolerance = .seconds(60)
        maximumLength = 65_536
        self.requiresExpiry = requiresExpiry
    }

    /// Sets what differs from the standard policy.
    ///
    /// - Parameters:
    ///   - leeway: How long after its expiry a token is still accepted, from 0 to 10 minutes.
    ///   - futureTolerance: How far in the future `iat` and `nbf` may lie, from 0 to 10 minutes.
    ///   - requiresExpiry: Whether a token without `exp` is refused.
    ///   - maximumLength: The maximum length of a token, in bytes. A token with more than 50,000 values, or an object of more
    ///     than 10,000 members, is refused in any case.
    /// - Throws: `.unsuitableSetting` if a tolerance is negative or above 10 minutes, or the length is not positive.
    public init(
        leeway: TimeToLive = standard.leeway,
        futureTolerance: TimeToLive = standard.futureTolerance,
        requiresExpiry: Bool = true,
        maximumLength: Int = standard.maximumLength
    ) throws(RequestorSigningError) {
        let tolerances = TimeToLive.zero...TimeToLive.minutes(10)
        guard tolerances.contains(leeway) else { throw .unsuitableSetting(.leeway(leeway)) }
        guard tolerances.contains(futureTolerance) else {
            throw .unsuitableSetting(.futureTolerance(futureTolerance))
        }
        guard maximumLength > 0 else { throw .unsuitableSetting(.maximumLength(maximumLength)) }
        self.leeway = leeway
        self.futureTolerance = futureTolerance
        self.requiresExpiry = requiresExpiry
        self.maximumLength = maximumLength
    }
}

/// Spells out which issuer, subject and audience a JSON Web Token must name.
///
/// All parts are always given: to leave a check out, say `.unchecked`.
public struct JSONWebTokenExpectations: Sendable {
    /// The issuers whose tokens are accepted (`iss`).
    public var issuer: Expectation<String>
    /// The subjects that are accepted (`sub`).
    public var subject: Expectation<String>
    /// The audiences that are accepted (`aud`): one of the token's audiences must be among them.
    public var audience: Expectation<String>

    /// Spells out all expectations.
    ///
    /// - Parameters:
    ///   - issuer: The issuers whose tokens are accepted (`iss`).
    ///   - subject: The subjects that are accepted (`sub`).
    ///   - audience: The audiences of which the token must name one (`aud`).
    public init(issuer: Expectation<String>, subject: Expectation<String>, audience: Expectation<String>) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
    }

    var isWellFormed: Bool { issuer.isWellFormed && subject.isWellFormed && audience.isWellFormed }
}

extension Expectation {
    /// Refuses a field if none of its values is accepted.
    func check(_ presented: [String], field: String) throws(RequestorSigningError) {
        guard let texts else { return }
        guard presented.contains(where: { accepts(text: $0) }) else {
            throw .mismatch(field: field, expected: texts, presented: presented)
        }
    }
}
