public import EntitlementValues

/// Sets the tolerances of a verifier of JSON Web Tokens.
///
/// The defaults fit; each change is a decision.
public struct JSONWebTokenPolicy: Sendable, Hashable {
    /// How long after its expiry a token still passes.
    public let leeway: TimeToLive
    /// How far in the future `iat` and `nbf` may lie: clocks differ by seconds.
    public let futureTolerance: TimeToLive
    /// Whether a token without `exp` is refused.
    public let requiresExpiry: Bool
    /// The longest text that is read, in bytes.
    public let maximumLength: Int

    /// No leeway, 60 seconds of tolerance for the future, `exp` required, texts up to 64 KiB.
    public static let standard = JSONWebTokenPolicy(requiresExpiry: true)
    /// The same without `exp`: software statements are good until revoked.
    public static let softwareStatement = JSONWebTokenPolicy(requiresExpiry: false)

    private init(requiresExpiry: Bool) {
        leeway = .zero
        futureTolerance = .seconds(60)
        maximumLength = 65_536
        self.requiresExpiry = requiresExpiry
    }

    /// Sets what differs from the standard policy.
    ///
    /// - Throws: `.unsuitableSetting` where a tolerance is negative or above 10 minutes, or the length not positive.
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

/// Spells out what a JSON Web Token must say.
///
/// All parts are always given: a check that is not wanted is `.unchecked`.
public struct JSONWebTokenExpectations: Sendable {
    /// Whose tokens are accepted.
    public var issuer: TextExpectation
    /// About whom or what.
    public var subject: TextExpectation
    /// Meant for whom: one of the token's audiences must be accepted.
    public var audience: TextExpectation

    /// Spells out all expectations.
    public init(issuer: TextExpectation, subject: TextExpectation, audience: TextExpectation) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
    }

    var isWellFormed: Bool { issuer.isWellFormed && subject.isWellFormed && audience.isWellFormed }
}
