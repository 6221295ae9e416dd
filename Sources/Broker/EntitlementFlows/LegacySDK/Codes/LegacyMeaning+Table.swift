#if Client
package import ServiceResponses

extension LegacyMeaning {
    /// The meaning of each documented code of the broker, version 1 included.
    package static let table: [EnhancedErrorCode: LegacyMeaning] = signIns.merging(decisions) { first, _ in first }
        .merging(requests) { first, _ in first }.merging(servers) { first, _ in first }

    /// Profiles, sessions and registrations.
    private static let signIns: [EnhancedErrorCode: LegacyMeaning] = [
        .authenticatedProfileMissing: .notAuthenticated,
        .authenticatedProfileExpired: .notAuthenticated,
        .authenticatedProfileInvalidated: .notAuthenticated,
        .authorizationDeniedBySessionInvalidated: .notAuthenticated,
        .identityNotRecognizedByMVPD: .notAuthenticated,
        .authenticationSessionMissing: .notAuthenticated,
        .authenticationSessionExpired: .notAuthenticated,
        .authenticationSessionInvalidated: .notAuthenticated,
        .authenticationSessionIssuerMismatch: .notAuthenticated,
        .preauthorizationAuthenticationSessionMissing: .notAuthenticated,
        .preauthorizationAuthenticationSessionExpired: .notAuthenticated,
        .invalidAuthenticationSession: .codeEnded,
        .invalidParameterCode: .codeEnded,
        .invalidAccessTokenServiceProvider: .code(.noAccessToken),
        .invalidAccessTokenClientApplication: .code(.noAccessToken),
        .invalidRefreshToken: .code(.noAccessToken),
        .invalidHeaderPFSPermissionAccessNotGranted: .code(.partnerPermissionDenied),
        .invalidHeaderPFSPermissionAccessNotDetermined: .code(.partnerPermissionUndetermined),
        .invalidHeaderPFSPermissionAccessNotPresent: .code(.partnerPermissionUndetermined),
        .invalidHeaderPFSProviderIDNotDetermined: .code(.partnerRequestFailed),
        .invalidHeaderPFSProviderIDMismatch: .code(.partnerRequestFailed),
        .invalidHeaderPFSProviderInfoExpired: .code(.partnerRequestFailed),
        .invalidParameterPartner: .code(.partnerFailed),
        .invalidParameterSAMLResponse: .code(.partnerFailed),
    ]

    /// Decisions about resources.
    private static let decisions: [EnhancedErrorCode: LegacyMeaning] = [
        .authorizationDeniedByMVPD: .denied,
        .preauthorizationDeniedByMVPD: .denied,
        .authorizationDeniedByParentalControls: .denied,
        .authorizationDeniedByHBAPolicies: .denied,
        .authorizationNotFound: .denied,
        .authorizationExpired: .denied,
        .authorizationDeniedByDegradationRule: .deniedByDegradation,
        .authorizationDeniedByDegradationConfigurationChange: .deniedByDegradation,
        .temporaryAccessDurationLimitExceeded: .temporaryAccessEnded,
        .temporaryAccessResourcesLimitExceeded: .temporaryAccessEnded,
        .networkReceivedError: .providerNotReached,
        .networkConnectionTimeout: .providerNotReached,
        .maximumExecutionTimeExceeded: .providerNotReached,
        .maximumAttemptsExceeded: .providerNotReached,
        .degradedIntegration: .providerNotReached,
        .invalidParameterResources: .badResource,
        .missingResource: .badResource,
        .malformedAuthorizationRequest: .badResource,
        .tooManyResources: .badResource,
    ]

    /// What is wrong with a request.
    private static let requests: [EnhancedErrorCode: LegacyMeaning] = [
        .invalidParameterServiceProvider: .code(.requestorNotValid),
        .invalidRequestor: .code(.requestorNotValid),
        .invalidParameterRedirectURL: .code(.domainNotAllowed),
        .invalidParameterMVPD: .providerNotAvailable,
        .invalidIntegration: .providerNotAvailable,
        .unknownIntegration: .providerNotAvailable,
        .invalidHeaderDeviceInfo: .ownFailure,
        .invalidHeaderDeviceIdentifier: .ownFailure,
        .invalidDeviceInfo: .ownFailure,
        .invalidDeviceID: .ownFailure,
        .invalidHeaderIdentityForTemporaryAccess: .identityNeeded,
    ]

    /// Failures of the operator's servers and of its configuration.
    private static let servers: [EnhancedErrorCode: LegacyMeaning] = [
        .internalServerError: .serverFailure,
        .internalError: .serverFailure,
        .invalidConfigurationUserMetadataCertificate: .serverFailure,
        .invalidConfigurationTemporaryAccess: .serverFailure,
        .invalidConfigurationPlatform: .serverFailure,
        .invalidConfigurationPlatformID: .serverFailure,
        .invalidConfigurationPlatformTrait: .serverFailure,
        .invalidConfigurationPlatformCategoryTrait: .serverFailure,
        .invalidConfigurationPlatformServices: .serverFailure,
        .invalidConfigurationMVPDPlatform: .serverFailure,
        .invalidConfigurationMVPDPlatformBoardingStatus: .serverFailure,
        .invalidConfigurationMVPDPlatformProfileExchange: .serverFailure,
    ]

    /// The meaning of an error whose code is not known: by its action, and by the HTTP status.
    ///
    /// - Parameters:
    ///   - action: What may resolve it.
    ///   - status: The HTTP status.
    /// - Returns: The meaning; `nil` if neither tells.
    static func guessed(from action: EnhancedErrorAction?, status: Int?) -> LegacyMeaning? {
        switch (action, status) {
        case (.authentication?, _): .notAuthenticated
        case (.applicationRegistration?, _): .code(.noAccessToken)
        case (.retry?, _): .providerNotReached
        case (.configuration?, _): .serverFailure
        case (_, let status?) where status >= 500: .serverFailure
        case (_, 403?): .denied
        default: nil
        }
    }
}
#endif
