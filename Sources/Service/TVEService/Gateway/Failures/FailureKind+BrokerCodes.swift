#if Service
import ServiceResponses

extension FailureKind {
    /// The kind of an error that the broker names: of a whole call, or of its decision about a resource.
    ///
    /// For codes that this release does not know, the action that the broker names decides, and then the status.
    ///
    /// - Parameters:
    ///   - error: The broker's error object.
    ///   - status: The HTTP status of the whole answer; `nil` for a decision, which is part of an answer that is good.
    init(_ error: EnhancedError, status: Int? = nil) {
        if let kind = error.code.flatMap({ Self.brokerCodes[$0] }) {
            self = kind
            return
        }
        self =
            switch error.action {
            case .authentication: .notSignedIn
            case .authorization: .denied
            case .retry: .failed
            case .configuration, .applicationRegistration: .refusedApplication
            default: Self(status: status)
            }
    }

    /// The kind of a refusal of which only the status tells something.
    private init(status: Int?) {
        switch status {
        case nil, 403: self = .denied
        case 429: self = .throttled
        case (500...599)?: self = .failed
        default: self = .refusedApplication
        }
    }

    /// The kinds of the documented codes.
    static let brokerCodes: [EnhancedErrorCode: FailureKind] = {
        var kinds: [EnhancedErrorCode: FailureKind] = [:]
        for (kind, codes) in codesByKind { for code in codes { kinds[code] = kind } }
        return kinds
    }()

    private static let codesByKind: [FailureKind: [EnhancedErrorCode]] = [
        .notSignedIn: [
            .authenticatedProfileMissing, .authenticatedProfileExpired, .authenticatedProfileInvalidated,
            .authorizationDeniedBySessionInvalidated, .identityNotRecognizedByMVPD, .authenticationSessionMissing,
            .authenticationSessionExpired, .authenticationSessionInvalidated, .authenticationSessionIssuerMismatch,
            .preauthorizationAuthenticationSessionMissing, .preauthorizationAuthenticationSessionExpired,
        ],
        .denied: [
            .authorizationDeniedByMVPD, .preauthorizationDeniedByMVPD, .authorizationDeniedByParentalControls,
            .authorizationDeniedByDegradationRule, .authorizationDeniedByDegradationConfigurationChange,
            .authorizationDeniedByHBAPolicies, .authorizationNotFound, .authorizationExpired,
        ],
        .usedUp: [.temporaryAccessDurationLimitExceeded, .temporaryAccessResourcesLimitExceeded],
        .unknownProvider: [.invalidParameterMVPD, .invalidIntegration, .unknownIntegration],
        .identityNeeded: [.invalidHeaderIdentityForTemporaryAccess],
        .signInEnded: [.invalidAuthenticationSession, .invalidParameterCode],
        .partnerRefused: [
            .invalidHeaderPFSPermissionAccessNotPresent, .invalidHeaderPFSPermissionAccessNotDetermined,
            .invalidHeaderPFSPermissionAccessNotGranted, .invalidHeaderPFSProviderIDNotDetermined,
            .invalidHeaderPFSProviderIDMismatch, .invalidHeaderPFSProviderInfoExpired, .invalidParameterPartner,
            .invalidParameterSAMLResponse,
        ],
        .registrationEnded: [.invalidAccessTokenClientApplication, .invalidRefreshToken],
        .providerDown: [
            .networkReceivedError, .networkConnectionTimeout, .maximumExecutionTimeExceeded, .maximumAttemptsExceeded,
            .degradedIntegration,
        ],
        .failed: [.internalServerError, .internalError],
        .badRequest: [
            .invalidParameterResources, .tooManyResources, .missingResource, .malformedAuthorizationRequest,
        ],
        .refusedApplication: [
            .invalidParameterServiceProvider, .invalidParameterRedirectURL, .invalidHeaderDeviceInfo,
            .invalidHeaderDeviceIdentifier, .invalidAccessTokenServiceProvider, .invalidRequestor, .invalidDeviceInfo,
            .invalidDeviceID, .invalidConfigurationUserMetadataCertificate, .invalidConfigurationTemporaryAccess,
            .invalidConfigurationPlatform, .invalidConfigurationPlatformID, .invalidConfigurationPlatformTrait,
            .invalidConfigurationPlatformCategoryTrait, .invalidConfigurationPlatformServices,
            .invalidConfigurationMVPDPlatform, .invalidConfigurationMVPDPlatformBoardingStatus,
            .invalidConfigurationMVPDPlatformProfileExchange,
        ],
    ]
}
#endif
