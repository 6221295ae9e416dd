public import EntitlementValues

/// Sets the tolerances of a verifier.
///
/// The defaults fit; each change is a decision.
public struct VerificationPolicy: Sendable, Hashable {
    /// How long after its expiry a token still passes.
    ///
    /// The TTL already allows for wrong clocks.
    public let leeway: TimeToLive
    /// How far in the future an issue time may lie: clocks differ by seconds.
    public let issuedInFutureTolerance: TimeToLive
    /// The longest TTL that is believed.
    public let maximumTTL: TimeToLive
    /// The longest text that is read, in bytes, outer layers included.
    public let maximumLength: Int
    /// Whether signatures with SHA-1 are accepted beside SHA-256.
    ///
    /// None was ever seen on the wire; for archives only.
    public let acceptsLegacySHA1: Bool

    /// The longest leeway and tolerance that can be set.
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
    /// - Throws: `VerificationPolicyError` where a tolerance is negative or above 10 minutes, or a maximum is not positive.
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

/// Says which setting of a policy cannot be meant.
@nonexhaustive
public enum VerificationPolicyError: Error, Sendable, Hashable {
    /// The leeway is negative or above 10 minutes.
    case leeway(TimeToLive)
    /// The tolerance for issue times in the future is negative or above 10 minutes.
    case issuedInFutureTolerance(TimeToLive)
    /// The longest TTL is not positive.
    case maximumTTL(TimeToLive)
    /// The longest text is not positive.
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
