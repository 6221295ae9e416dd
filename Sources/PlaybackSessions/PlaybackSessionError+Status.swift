package import MediaTokens

extension PlaybackSessionError {
    /// The status that says the same of a token.
    package var status: MediaTokenStatus {
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
