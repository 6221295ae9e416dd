#if Client
public import MediaTokens
import TVETesting

/// What is wrong, or only unusual, with the media tokens that a simulator issues.
public enum MediaTokenDefect: String, Sendable, CaseIterable {
    /// One symbol of the signature is changed.
    case badSignature = "bad-signature"
    /// Signed with a key of the same size that is not the simulator's.
    case otherKey = "other-key"
    /// Signed with a new key of 1024 bits, as real tokens were until at least 2021.
    case weakKey = "weak-key"
    /// For another brand.
    case otherRequestor = "other-requestor"
    /// For another resource.
    case otherResource = "other-resource"
    /// A document of another service that has the same root element.
    case lookAlike = "look-alike"
    /// No `requestorID`, as tokens of REST API V2 were before 2025-09.
    case requestorMissing = "requestor-missing"
    /// Provider and proxy in each other's place, as before 2025-09. It is valid.
    case swappedProviders = "swapped-providers"
    /// The root `shortAuthorizationToken` of the documentation. It is valid.
    case documentedRoot = "documented-root"
    /// `</signatureInfo>` as second marker. It is valid.
    case closingMarker = "closing-marker"
    /// Expired an hour ago; the decision beside it says the same times.
    case expired
    /// Issued an hour in the future; the decision beside it says the same times.
    case notYetValid = "not-yet-valid"

    /// The status with which a verifier that trusts the simulator's key answers.
    public var expectedStatus: MediaTokenStatus {
        switch self {
        case .weakKey: .invalidSignature
        case .swappedProviders, .documentedRoot, .closingMarker: .validToken
        default: testFault?.expectedStatus ?? .validToken
        }
    }

    var testFault: TestTokenFault? {
        switch self {
        case .badSignature: .signatureBitFlipped
        case .otherKey: .otherKey
        case .otherRequestor: .otherRequestor
        case .otherResource: .otherResource
        case .lookAlike: .xmlSignature
        case .requestorMissing: .requestorMissing
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .weakKey, .swappedProviders, .documentedRoot, .closingMarker: nil
        }
    }
}
#endif
