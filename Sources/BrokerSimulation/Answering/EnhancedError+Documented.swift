#if Client
import ServiceResponses

extension EnhancedError {
    /// An error with the action and status that the broker documents for its code.
    ///
    /// A code that is not documented gets status 500 and no action.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - details: A text for people, from the provider.
    init(documented code: EnhancedErrorCode, details: String? = nil) {
        let (action, status): (EnhancedErrorAction, Int) =
            if let documented = documentedErrors[code] { documented } else { (.noAction, 500) }
        let words = String(code.rawValue.map { $0 == "_" ? " " : $0 })
        self.init(action: action, status: status, code: code, message: "Simulated: \(words).", details: details)
    }

    /// The path exists, but not for the method; no code is documented for it.
    static let methodNotAllowed = EnhancedError(
        action: .noAction, status: 405, message: "Simulated: method not allowed.")
}

/// Action and status of each code.
///
/// Source: the broker's list of enhanced error codes.
private let documentedErrors: [EnhancedErrorCode: (EnhancedErrorAction, Int)] = {
    let groups: [(EnhancedErrorAction, Int, [EnhancedErrorCode])] = [
        (
            .noAction, 400,
            [
                .invalidParameterServiceProvider, .invalidParameterMVPD, .invalidParameterCode,
                .invalidParameterResources, .invalidParameterRedirectURL, .invalidParameterPartner,
                .invalidParameterSAMLResponse, .invalidHeaderDeviceInfo, .invalidHeaderDeviceIdentifier,
                .invalidHeaderIdentityForTemporaryAccess, .invalidHeaderPFSPermissionAccessNotPresent,
                .invalidHeaderPFSPermissionAccessNotDetermined, .invalidHeaderPFSPermissionAccessNotGranted,
                .invalidHeaderPFSProviderIDNotDetermined, .invalidHeaderPFSProviderIDMismatch,
                .invalidHeaderPFSProviderInfoExpired, .invalidIntegration, .invalidAuthenticationSession,
            ]
        ),
        (
            .noAction, 403,
            [
                .preauthorizationDeniedByMVPD, .authorizationDeniedByMVPD, .authorizationDeniedByParentalControls,
                .authorizationDeniedByDegradationRule,
            ]
        ),
        (.noAction, 500, [.internalServerError]),
        (.configuration, 403, [.tooManyResources]),
        (
            .configuration, 500,
            [
                .invalidConfigurationUserMetadataCertificate, .invalidConfigurationTemporaryAccess,
                .invalidConfigurationPlatform, .invalidConfigurationPlatformID, .invalidConfigurationPlatformTrait,
                .invalidConfigurationPlatformCategoryTrait, .invalidConfigurationPlatformServices,
                .invalidConfigurationMVPDPlatform, .invalidConfigurationMVPDPlatformBoardingStatus,
                .invalidConfigurationMVPDPlatformProfileExchange,
            ]
        ),
        (
            .applicationRegistration, 401,
            [.invalidAccessTokenServiceProvider, .invalidAccessTokenClientApplication]
        ),
        (
            .authentication, 403,
            [
                .authenticatedProfileMissing, .authenticatedProfileExpired, .authenticatedProfileInvalidated,
                .temporaryAccessDurationLimitExceeded, .temporaryAccessResourcesLimitExceeded,
                .authorizationDeniedByHBAPolicies, .authorizationDeniedBySessionInvalidated,
                .identityNotRecognizedByMVPD,
            ]
        ),
        (.retry, 403, [.networkReceivedError, .networkConnectionTimeout, .maximumExecutionTimeExceeded]),
    ]
    return groups.reduce(into: [:]) { all, group in
        for code in group.2 { all[code] = (group.0, group.1) }
    }
}()
#endif
