public import EntitlementValues

/// Sets the tolerances of a verifier.
///
/// The defaults fit most uses.
public struct VerificationPolicy: Sendable, Hashable {
    /// How long after its expiry a token is still accepted.
    ///
    /// Usually none: the issuer chooses the TTL so that it allows for wrong clocks.
    public let leeway: TimeToLive
    /// How far in the future an issue time may lie, since clocks differ by seconds.
    public let issuedInFutureTolerance: TimeToLive
    /// The maximum TTL; a token with a longer one is malformed.
    public let maximumTTL: TimeToLive
    /// The maximum length of a token, in bytes, outer layers included.
    public let maximumLength: Int
    /// Whether signatures with SHA-1 are accepted besides those with SHA-256.
    ///
    /// Only for archives: all known tokens are signed with SHA-256.
    public let acceptsLegacySHA1: Bool

    /// The maximum leeway and tolerance that can be set.
    public static let maximumTolerance = TimeToLive.minutes(10)

    /// No leeway, 60 seconds of tolerance for the future, TTLs up to 24 hours, texts up to 64 KiB, SHA-256.
    public static let standard = VerificationPolicy()

    private init() {
        leeway = .zero
        issuedInFutureTolerance = .seconds(60)
        maximumTTL = .hours(24)
        maximumLength = 65_536
        acceptsLegacySHA1 = false
    }

    /// Sets what differs from the standard policy.
    ///
    /// - Parameters:
    ///   - leeway: How long after its expiry a token is still accepted, from 0 to 10 minutes.
    ///   - issuedInFutureTolerance: How far in the future an issue time may lie, from 0 to 10 minutes.
    ///   - maximumTTL: The maximum TTL.
    ///   - maximumLength: The maximum length of a token, in bytes.
    ///   - acceptsLegacySHA1: Whether signatures with SHA-1 are accepted besides those with SHA-256.
    /// - Throws: `VerificationPolicyError` if a tolerance is negative or above 10 minutes, or a maximum is not positive.
    public init(
        leeway: TimeToLive = standard.leeway,
        issuedInFutureTolerance: TimeToLive = standard.issuedInFutureTolerance,
        maximumTTL: TimeToLive = standard.maximumTTL,
        maximumLength: Int = standard.maximumLength,
        acceptsLegacySHA1: Bool = false
    ) throws(VerificationPolicyError) {
        let tolerances = TimeToLive.zero...Self.maximumTolerance
        guard tolerances.contains(leeway) else { throw .leeway(leeway) }
        guard tolerances.contains(issuedInFutureTolerance) else {
            throw .issuedInFutureTolerance(issuedInFutureTolerance)
        }
        guard maximumTTL > .zero else { throw .maximumTTL(maximumTTL) }
        guard maximumLength > 0 else { throw .maximumLength(maximumLength) }
        self.leeway = leeway
        self.issuedInFutureTolerance = issuedInFutureTolerance
        self.maximumTTL = maximumTTL
        self.maximumLength = maximumLength
        self.acceptsLegacySHA1 = acceptsLegacySHA1
    }
}

/// Says which setting of a policy is out of range.
@nonexhaustive
public enum VerificationPolicyError: Error, Sendable, Hashable {
    /// The leeway is negative or above 10 minutes.
    case leeway(TimeToLive)
    /// The tolerance for issue times in the future is negative or above 10 minutes.
    case issuedInFutureTolerance(TimeToLive)
    /// The maximum TTL is not positive.
    case maximumTTL(TimeToLive)
    /// The maximum length is not positive.
    case maximumLength(Int)
}

extension VerificationPolicyError: CustomStringConvertible {
    /// Which setting, its value, and what it may be.
    public var description: String {
        switch self {
        case .leeway(let value): "a leeway of \(value.milliseconds) ms is not between 0 and 600000 ms (10 minutes)"
        case .issuedInFutureTolerance(let value):
            "a tolerance of \(value.milliseconds) ms is not between 0 and 600000 ms (10 minutes)"
        case .maximumTTL(let value): "a maximum TTL of \(value.milliseconds) ms is not above 0"
        case .maximumLength(let value): "a maximum length of \(value) bytes is not above 0"
        }
    }
}
