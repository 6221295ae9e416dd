public import MediaTokens

extension PlaybackSessionError {
    /// The HTTP status that a service answers with: that of ``status``, and 409 for too many streams.
    public var httpStatus: Int {
        if case .tooManyStreams = self { return 409 }
        return status.httpStatus
    }

    /// The status that says the same of a token.
    public var status: MediaTokenStatus {
        switch self {
        case .tooLarge, .malformed: .invalidTokenFormat
        case .unknownKey, .badSignature, .otherIssuer, .otherClient, .clientNotCheckable: .invalidSignature
        case .notYetValid: .tokenNotYetValid
        case .expired, .revoked: .tokenExpired
        case .otherRequestor: .invalidRequestorID
        case .otherResource, .otherPath: .invalidResourceID
        case .tooManyStreams: .invalidResourceID
        case .unusableKey, .noKeys, .cannotSign, .unsuitable, .store, .unusableRecord, .contended, .undecided:
            .errorUnknown
        }
    }
}
