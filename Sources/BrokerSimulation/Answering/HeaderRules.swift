#if Client

/// A header field that the broker's reference knows.
enum KnownField: String, Sendable, CaseIterable {
    case authorization = "Authorization"
    case deviceIdentifier = "AP-Device-Identifier"
    case deviceInfo = "X-Device-Info"
    case forwardedFor = "X-Forwarded-For"
    case subjectToken = "Adobe-Subject-Token"
    case rokuToken = "X-Roku-Reserved-Roku-Connect-Token"
    case serviceToken = "AD-Service-Token"
    case partnerStatus = "AP-Partner-Framework-Status"
    case temporaryIdentity = "AP-TempPass-Identity"
    case visitor = "AP-Visitor-Identifier"
}

extension Endpoint {
    /// The fields without which the endpoint refuses a request.
    ///
    /// Source: the reference's tables.
    var requiredFields: Set<KnownField> {
        switch self {
        case .register, .token: [.deviceInfo]
        case .configuration, .resumeSession, .sessionStatus, .profileOfCode, .resetTemporaryAccess, .resetPromotion:
            [.authorization]
        case .createSession, .profiles, .profile, .authorize, .preauthorize, .logout, .partnerSession, .partnerProfile:
            [.authorization, .deviceIdentifier, .deviceInfo]
        case .userAgent, .logoutPage: []
        }
    }

    /// The fields that the endpoint reads besides the required ones.
    ///
    /// `X-Forwarded-For` is not in the reference of registration, but the limit of requests goes by it there, too.
    var optionalFields: Set<KnownField> {
        switch self {
        case .register, .token: [.forwardedFor]
        case .configuration: [.deviceIdentifier, .deviceInfo, .forwardedFor]
        case .createSession, .logout: [.forwardedFor, .subjectToken, .rokuToken, .serviceToken, .visitor]
        case .resumeSession, .sessionStatus: [.forwardedFor, .visitor]
        case .profiles: [.forwardedFor, .subjectToken, .rokuToken, .serviceToken, .partnerStatus, .visitor]
        // The reference of preauthorization lacks the identity; an older page of the operator has it.
        case .profile, .authorize, .preauthorize:
            [.forwardedFor, .subjectToken, .rokuToken, .serviceToken, .partnerStatus, .temporaryIdentity, .visitor]
        case .profileOfCode: [.forwardedFor, .temporaryIdentity, .visitor]
        case .partnerSession, .partnerProfile: [.forwardedFor, .partnerStatus, .visitor]
        case .userAgent, .logoutPage: Set(KnownField.allCases)
        case .resetTemporaryAccess, .resetPromotion: []
        }
    }
}
#endif
