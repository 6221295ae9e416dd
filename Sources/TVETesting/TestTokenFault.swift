public import MediaTokens

/// Names one thing that is wrong with a test token, so that a service can be shown every refusal.
///
/// The raw values are the names that `tve issue media-token --fault` takes.
public enum TestTokenFault: String, Sendable, CaseIterable {
    // The container
    case empty
    case onlyWhiteSpace = "only-white-space"
    case oneMarker = "one-marker"
    case threeMarkers = "three-markers"
    case swappedMarkers = "swapped-markers"
    case quoted
    case restBody = "rest-body"
    case json
    case jwt
    case xmlSignature = "xml-signature"
    case entityEscaped = "entity-escaped"
    case threeBase64Layers = "three-base64-layers"
    case tooLarge = "too-large"

    // The signature
    case signatureEmpty = "signature-empty"
    case signatureNotBase64 = "signature-not-base64"
    case signatureTrailingBits = "signature-trailing-bits"
    case signatureTooShort = "signature-too-short"
    case signatureTooLong = "signature-too-long"
    case signatureBitFlipped = "signature-bit-flipped"
    case otherKey = "other-key"
    case sha1
    case pss
    case shortPadding = "short-padding"
    case bareDigest = "bare-digest"

    // The signed text, changed after signing
    case bodyByteChanged = "body-byte-changed"
    case bodySpaceAdded = "body-space-added"
    case bodyLineEndAdded = "body-line-end-added"
    case bodyEntityForCharacter = "body-entity-for-character"

    // The signed text, wrong and signed all the same
    case nul
    case invalidUTF8 = "invalid-utf8"
    case byteOrderMark = "byte-order-mark"
    case doctype
    case entityBomb = "entity-bomb"
    case processingInstruction = "processing-instruction"
    case commentBetweenDigits = "comment-between-digits"
    case nestedRoot = "nested-root"
    case secondRoot = "second-root"
    case textAfterRoot = "text-after-root"
    case strayText = "stray-text"
    case attribute
    case bareAmpersand = "bare-ampersand"
    case authenticationToken = "authentication-token"
    case authorizationToken = "authorization-token"

    // Single elements
    case requestorMissing = "requestor-missing"
    case resourceMissing = "resource-missing"
    case resourceTwice = "resource-twice"
    case resourceEmpty = "resource-empty"
    case ttlMissing = "ttl-missing"
    case ttlNegative = "ttl-negative"
    case ttlPlusSign = "ttl-plus-sign"
    case ttlExponent = "ttl-exponent"
    case ttlWithSpaces = "ttl-with-spaces"
    case ttlZero = "ttl-zero"
    case ttlAboveCap = "ttl-above-cap"
    case ttlAboveInt64 = "ttl-above-int64"
    case issueTimeMissing = "issue-time-missing"
    case issueTimeWithoutZone = "issue-time-without-zone"
    case issueTimeImpossibleDate = "issue-time-impossible-date"
    case issueTimeMonth13 = "issue-time-month-13"
    case issueTimeLeapSecond = "issue-time-leap-second"

    // A sound token that is not what was asked for
    case expired
    case farPast = "far-past"
    case notYetValid = "not-yet-valid"
    case farFuture = "far-future"
    case otherRequestor = "other-requestor"
    case otherResource = "other-resource"
    case resourceInOtherCase = "resource-in-other-case"
    case resourceTrailingSpace = "resource-trailing-space"

    /// The status with which a verifier refuses it.
    public var expectedStatus: MediaTokenStatus {
        switch self {
        case .signatureTooShort, .signatureTooLong, .signatureBitFlipped, .otherKey, .sha1, .pss, .shortPadding,
            .bareDigest, .bodyByteChanged, .bodySpaceAdded, .bodyLineEndAdded, .bodyEntityForCharacter:
            .invalidSignature
        case .expired, .farPast: .tokenExpired
        case .notYetValid, .farFuture: .tokenNotYetValid
        case .otherRequestor: .invalidRequestorID
        case .otherResource, .resourceInOtherCase, .resourceTrailingSpace: .invalidResourceID
        default: .invalidTokenFormat
        }
    }

    /// The code with which a verifier refuses it.
    public var expectedCode: String {
        switch expectedStatus {
        case .invalidSignature: "bad_signature"
        case .tokenExpired: "expired"
        case .tokenNotYetValid: "not_yet_valid"
        case .invalidRequestorID: "requestor_mismatch"
        case .invalidResourceID: "resource_mismatch"
        default:
            switch self {
            case .jwt, .xmlSignature, .authenticationToken, .authorizationToken: "foreign_token"
            case .tooLarge: "too_large"
            default: "malformed"
            }
        }
    }
}
