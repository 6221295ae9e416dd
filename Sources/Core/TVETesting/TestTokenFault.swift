public import MediaTokens

/// Names one thing that is wrong with a test token, so that a service can be tested with every refusal.
///
/// Each case says what is broken and, in parentheses, the code with which a verifier refuses the token.
///
/// The raw values are the names that `tve issue media-token --fault` takes.
public enum TestTokenFault: String, Sendable, CaseIterable {
    // MARK: The container

    /// No bytes at all (`malformed`).
    case empty
    /// Only spaces, tabs and line ends (`malformed`).
    case onlyWhiteSpace = "only-white-space"
    /// The marker after the signature is missing (`malformed`).
    case oneMarker = "one-marker"
    /// A third marker follows the second (`malformed`).
    case threeMarkers = "three-markers"
    /// The closing marker comes first, the opening one second (`malformed`).
    case swappedMarkers = "swapped-markers"
    /// Quotation marks around the token (`malformed`).
    case quoted
    /// The service's JSON response, with the token in its `serializedToken` (`malformed`).
    case restBody = "rest-body"
    /// A JSON object without a token (`malformed`).
    case json
    /// A JSON Web Token instead of a media token (`foreign_token`).
    case jwt
    /// An `authToken` document of another service, with an XML signature (`foreign_token`).
    case xmlSignature = "xml-signature"
    /// Markup as entities: `&lt;signatureInfo&gt;` (`malformed`).
    case entityEscaped = "entity-escaped"
    /// Three layers of Base64; a verifier removes two (`malformed`).
    case threeBase64Layers = "three-base64-layers"
    /// Spaces at the end, up to 65,537 bytes: one above the standard maximum (`too_large`).
    case tooLarge = "too-large"

    // MARK: The signature

    /// Nothing between the markers (`malformed`).
    case signatureEmpty = "signature-empty"
    /// An asterisk in the signature's Base64 (`malformed`).
    case signatureNotBase64 = "signature-not-base64"
    /// Base64 of the right signature with bits set after its last byte (`malformed`).
    case signatureTrailingBits = "signature-trailing-bits"
    /// The first three bytes of the signature are missing (`bad_signature`).
    case signatureTooShort = "signature-too-short"
    /// Three zero bytes before the signature (`bad_signature`).
    case signatureTooLong = "signature-too-long"
    /// One changed symbol in the signature's Base64 (`bad_signature`).
    case signatureBitFlipped = "signature-bit-flipped"
    /// Signed with another key of the same size (`bad_signature`).
    case otherKey = "other-key"
    /// Signed over SHA-1 instead of SHA-256 (`bad_signature`).
    case sha1
    /// Signed with PSS padding instead of PKCS#1 v1.5 (`bad_signature`).
    case pss
    /// Only 8 bytes of padding, and zeros after the digest, as in low-exponent forgeries (`bad_signature`).
    case shortPadding = "short-padding"
    /// The padded block has the digest without its DigestInfo (`bad_signature`).
    case bareDigest = "bare-digest"

    // MARK: The signed text, changed after signing

    /// One changed character in `sessionGUID`, after signing (`bad_signature`).
    case bodyByteChanged = "body-byte-changed"
    /// A space before `sessionGUID`, added after signing (`bad_signature`).
    case bodySpaceAdded = "body-space-added"
    /// A line feed before `sessionGUID`, added after signing (`bad_signature`).
    case bodyLineEndAdded = "body-line-end-added"
    /// One character of `sessionGUID` replaced by a numeric reference after signing (`bad_signature`).
    case bodyEntityForCharacter = "body-entity-for-character"

    // MARK: The signed text, wrong and signed all the same

    /// A NUL before the root's end tag (`malformed`).
    case nul
    /// The bytes C3 28, which are not UTF-8, before the root's end tag (`malformed`).
    case invalidUTF8 = "invalid-utf8"
    /// A byte order mark before the root (`malformed`).
    case byteOrderMark = "byte-order-mark"
    /// A DOCTYPE before the root (`malformed`).
    case doctype
    /// A DOCTYPE whose nested entities would expand to two gigabytes (`malformed`).
    case entityBomb = "entity-bomb"
    /// An XML declaration before the root (`malformed`).
    case processingInstruction = "processing-instruction"
    /// A comment inside the digits of `ttl` (`malformed`).
    case commentBetweenDigits = "comment-between-digits"
    /// The root inside another root (`malformed`).
    case nestedRoot = "nested-root"
    /// The root twice, one after the other (`malformed`).
    case secondRoot = "second-root"
    /// A word after the root (`malformed`).
    case textAfterRoot = "text-after-root"
    /// A word between the root's start tag and the first element (`malformed`).
    case strayText = "stray-text"
    /// An attribute on the root (`malformed`).
    case attribute
    /// An `&` that is not escaped, in `resourceID` (`malformed`).
    case bareAmpersand = "bare-ampersand"
    /// The root of an AuthN token (`foreign_token`).
    case authenticationToken = "authentication-token"
    /// The root of an AuthZ token (`foreign_token`).
    case authorizationToken = "authorization-token"

    // MARK: Single elements

    /// No `requestorID` (`malformed`).
    case requestorMissing = "requestor-missing"
    /// No `resourceID` (`malformed`).
    case resourceMissing = "resource-missing"
    /// Two `resourceID` elements with the same text (`malformed`).
    case resourceTwice = "resource-twice"
    /// An empty `resourceID` (`malformed`).
    case resourceEmpty = "resource-empty"
    /// No `ttl` (`malformed`).
    case ttlMissing = "ttl-missing"
    /// A `ttl` of -420000 (`malformed`).
    case ttlNegative = "ttl-negative"
    /// A `ttl` of +420000 (`malformed`).
    case ttlPlusSign = "ttl-plus-sign"
    /// A `ttl` of 1e6 (`malformed`).
    case ttlExponent = "ttl-exponent"
    /// Spaces around the digits of `ttl` (`malformed`).
    case ttlWithSpaces = "ttl-with-spaces"
    /// A `ttl` of 0 (`malformed`).
    case ttlZero = "ttl-zero"
    /// A `ttl` one millisecond above 24 hours, the standard maximum (`malformed`).
    case ttlAboveCap = "ttl-above-cap"
    /// A `ttl` that does not fit into 64 bits (`malformed`).
    case ttlAboveInt64 = "ttl-above-int64"
    /// No `issueTime` (`malformed`).
    case issueTimeMissing = "issue-time-missing"
    /// An `issueTime` without a time zone (`malformed`).
    case issueTimeWithoutZone = "issue-time-without-zone"
    /// An `issueTime` on 29 February 2017, which did not exist (`malformed`).
    case issueTimeImpossibleDate = "issue-time-impossible-date"
    /// An `issueTime` in month 13 (`malformed`).
    case issueTimeMonth13 = "issue-time-month-13"
    /// An `issueTime` with second 60 (`malformed`).
    case issueTimeLeapSecond = "issue-time-leap-second"

    // MARK: A sound token that is not what was asked for

    /// Expired one hour ago (`expired`).
    case expired
    /// Issued in 1970 (`expired`).
    case farPast = "far-past"
    /// Issued one hour in the future (`not_yet_valid`).
    case notYetValid = "not-yet-valid"
    /// Issued at the end of the year 9999 (`not_yet_valid`).
    case farFuture = "far-future"
    /// For another requestor: an X is appended (`requestor_mismatch`).
    case otherRequestor = "other-requestor"
    /// For another resource: an X is appended (`resource_mismatch`).
    case otherResource = "other-resource"
    /// For the same resource in another case (`resource_mismatch`).
    case resourceInOtherCase = "resource-in-other-case"
    /// For the same resource with a space at its end (`resource_mismatch`).
    case resourceTrailingSpace = "resource-trailing-space"

    /// The status with which a verifier refuses the token.
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

    /// The code with which a verifier refuses the token.
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
