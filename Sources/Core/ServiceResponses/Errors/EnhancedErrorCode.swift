public import EntitlementValues

/// The kind of an error, by the service's name.
///
/// The names below are the documented ones. The service may add others at any time, and they are kept as they were sent.
/// Upper and lower case are different.
///
/// Source: the service's list of enhanced error codes.
public struct EnhancedErrorCode: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a code from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

// MARK: The request

extension EnhancedErrorCode {
    /// The service provider (requestor) is missing or unknown.
    public static let invalidParameterServiceProvider: EnhancedErrorCode = "invalid_parameter_service_provider"
    /// The provider is missing or unknown.
    public static let invalidParameterMVPD: EnhancedErrorCode = "invalid_parameter_mvpd"
    /// The authentication code is missing or unknown.
    public static let invalidParameterCode: EnhancedErrorCode = "invalid_parameter_code"
    /// The list of resources is missing or malformed.
    public static let invalidParameterResources: EnhancedErrorCode = "invalid_parameter_resources"
    /// The address to return to is missing or not allowed.
    public static let invalidParameterRedirectURL: EnhancedErrorCode = "invalid_parameter_redirect_url"
    /// The single sign-on partner is missing or unknown.
    public static let invalidParameterPartner: EnhancedErrorCode = "invalid_parameter_partner"
    /// The SAML response of the partner is missing or malformed.
    public static let invalidParameterSAMLResponse: EnhancedErrorCode = "invalid_parameter_saml_response"
    /// The header with the device information is missing or malformed.
    public static let invalidHeaderDeviceInfo: EnhancedErrorCode = "invalid_header_device_info"
    /// The header with the device identifier is missing or malformed.
    public static let invalidHeaderDeviceIdentifier: EnhancedErrorCode = "invalid_header_device_identifier"
    /// The header with the identity for temporary access is missing or malformed.
    public static let invalidHeaderIdentityForTemporaryAccess: EnhancedErrorCode =
        "invalid_header_identity_for_temporary_access"
    /// The service provider and the provider are not integrated.
    public static let invalidIntegration: EnhancedErrorCode = "invalid_integration"
    /// The request names too many resources.
    public static let tooManyResources: EnhancedErrorCode = "too_many_resources"
}

// MARK: The framework of a single sign-on partner

extension EnhancedErrorCode {
    /// The framework status does not say whether access is permitted.
    public static let invalidHeaderPFSPermissionAccessNotPresent: EnhancedErrorCode =
        "invalid_header_pfs_permission_access_not_present"
    /// The user has not decided about access.
    public static let invalidHeaderPFSPermissionAccessNotDetermined: EnhancedErrorCode =
        "invalid_header_pfs_permission_access_not_determined"
    /// The user does not permit access.
    public static let invalidHeaderPFSPermissionAccessNotGranted: EnhancedErrorCode =
        "invalid_header_pfs_permission_access_not_granted"
    /// The framework status does not name the provider.
    public static let invalidHeaderPFSProviderIDNotDetermined: EnhancedErrorCode =
        "invalid_header_pfs_provider_id_not_determined"
    /// The framework status names another provider.
    public static let invalidHeaderPFSProviderIDMismatch: EnhancedErrorCode = "invalid_header_pfs_provider_id_mismatch"
    /// The framework status about the provider has expired.
    public static let invalidHeaderPFSProviderInfoExpired: EnhancedErrorCode =
        "invalid_header_pfs_provider_info_expired"
}

// MARK: The registration of the application

extension EnhancedErrorCode {
    /// The access token is for another service provider.
    public static let invalidAccessTokenServiceProvider: EnhancedErrorCode = "invalid_access_token_service_provider"
    /// The access token is for another application, or no longer valid.
    public static let invalidAccessTokenClientApplication: EnhancedErrorCode = "invalid_access_token_client_application"
    /// The refresh token is not valid.
    public static let invalidRefreshToken: EnhancedErrorCode = "invalid_refresh_token"
}

// MARK: Authentication

extension EnhancedErrorCode {
    /// The user is not signed in.
    public static let authenticatedProfileMissing: EnhancedErrorCode = "authenticated_profile_missing"
    /// The profile has expired, so the user must sign in again.
    public static let authenticatedProfileExpired: EnhancedErrorCode = "authenticated_profile_expired"
    /// The profile was withdrawn, so the user must sign in again.
    public static let authenticatedProfileInvalidated: EnhancedErrorCode = "authenticated_profile_invalidated"
    /// The authentication session of a code is missing or has expired.
    public static let invalidAuthenticationSession: EnhancedErrorCode = "invalid_authentication_session"
    /// The provider does not recognise the user.
    public static let identityNotRecognizedByMVPD: EnhancedErrorCode = "identity_not_recognized_by_mvpd"
    /// The user has no authentication session (version 1).
    public static let authenticationSessionMissing: EnhancedErrorCode = "authentication_session_missing"
    /// The authentication session has expired (version 1).
    public static let authenticationSessionExpired: EnhancedErrorCode = "authentication_session_expired"
    /// The authentication session was withdrawn (version 1).
    public static let authenticationSessionInvalidated: EnhancedErrorCode = "authentication_session_invalidated"
    /// The authentication session is from another issuer (version 1).
    public static let authenticationSessionIssuerMismatch: EnhancedErrorCode = "authentication_session_issuer_mismatch"
    /// The user has no authentication session to preauthorize with (version 1).
    public static let preauthorizationAuthenticationSessionMissing: EnhancedErrorCode =
        "preauthorization_authentication_session_missing"
    /// The authentication session to preauthorize with has expired (version 1).
    public static let preauthorizationAuthenticationSessionExpired: EnhancedErrorCode =
        "preauthorization_authentication_session_expired"
}

// MARK: Authorization

extension EnhancedErrorCode {
    /// The provider denied playback.
    public static let authorizationDeniedByMVPD: EnhancedErrorCode = "authorization_denied_by_mvpd"
    /// The provider denied the preauthorization.
    public static let preauthorizationDeniedByMVPD: EnhancedErrorCode = "preauthorization_denied_by_mvpd"
    /// The user's parental controls denied playback.
    public static let authorizationDeniedByParentalControls: EnhancedErrorCode =
        "authorization_denied_by_parental_controls"
    /// A rule of degraded operation denied playback.
    public static let authorizationDeniedByDegradationRule: EnhancedErrorCode =
        "authorization_denied_by_degradation_rule"
    /// A changed rule of degraded operation denied playback.
    public static let authorizationDeniedByDegradationConfigurationChange: EnhancedErrorCode =
        "authorization_denied_by_degradation_configuration_change"
    /// The policies for the home network denied playback.
    public static let authorizationDeniedByHBAPolicies: EnhancedErrorCode = "authorization_denied_by_hba_policies"
    /// The profile was withdrawn, so playback was denied.
    public static let authorizationDeniedBySessionInvalidated: EnhancedErrorCode =
        "authorization_denied_by_session_invalidated"
    /// The integration with the provider is degraded.
    public static let degradedIntegration: EnhancedErrorCode = "degraded_integration"
    /// The user has no authorization (version 1).
    public static let authorizationNotFound: EnhancedErrorCode = "authorization_not_found"
    /// The authorization has expired (version 1).
    public static let authorizationExpired: EnhancedErrorCode = "authorization_expired"
}

// MARK: Temporary access

extension EnhancedErrorCode {
    /// The time of the temporary access is over.
    public static let temporaryAccessDurationLimitExceeded: EnhancedErrorCode =
        "temporary_access_duration_limit_exceeded"
    /// The resources of the temporary access are used up.
    public static let temporaryAccessResourcesLimitExceeded: EnhancedErrorCode =
        "temporary_access_resources_limit_exceeded"
}

// MARK: The provider and the network

extension EnhancedErrorCode {
    /// The provider answered with an error.
    public static let networkReceivedError: EnhancedErrorCode = "network_received_error"
    /// The provider did not answer in time.
    public static let networkConnectionTimeout: EnhancedErrorCode = "network_connection_timeout"
    /// The request took too long.
    public static let maximumExecutionTimeExceeded: EnhancedErrorCode = "maximum_execution_time_exceeded"
    /// The service tried too often.
    public static let maximumAttemptsExceeded: EnhancedErrorCode = "maximum_attempts_exceeded"
    /// The service failed.
    public static let internalServerError: EnhancedErrorCode = "internal_server_error"
}

// MARK: The service's configuration

extension EnhancedErrorCode {
    /// The certificate to encrypt user metadata with is missing or malformed.
    public static let invalidConfigurationUserMetadataCertificate: EnhancedErrorCode =
        "invalid_configuration_user_metadata_certificate"
    /// Temporary access is misconfigured.
    public static let invalidConfigurationTemporaryAccess: EnhancedErrorCode = "invalid_configuration_temporary_access"
    /// The platform is misconfigured.
    public static let invalidConfigurationPlatform: EnhancedErrorCode = "invalid_configuration_platform"
    /// The identifier of the platform is misconfigured.
    public static let invalidConfigurationPlatformID: EnhancedErrorCode = "invalid_configuration_platform_id"
    /// The traits of the platform are misconfigured.
    public static let invalidConfigurationPlatformTrait: EnhancedErrorCode = "invalid_configuration_platform_trait"
    /// The traits of the platform's category are misconfigured.
    public static let invalidConfigurationPlatformCategoryTrait: EnhancedErrorCode =
        "invalid_configuration_platform_category_trait"
    /// The services of the platform are misconfigured.
    public static let invalidConfigurationPlatformServices: EnhancedErrorCode =
        "invalid_configuration_platform_services"
    /// The provider's platform is misconfigured.
    public static let invalidConfigurationMVPDPlatform: EnhancedErrorCode = "invalid_configuration_mvpd_platform"
    /// The boarding status of the provider's platform is misconfigured.
    public static let invalidConfigurationMVPDPlatformBoardingStatus: EnhancedErrorCode =
        "invalid_configuration_mvpd_platform_boarding_status"
    /// The profile exchange of the provider's platform is misconfigured.
    public static let invalidConfigurationMVPDPlatformProfileExchange: EnhancedErrorCode =
        "invalid_configuration_mvpd_platform_profile_exchange"
}

// MARK: Requests of version 1

extension EnhancedErrorCode {
    /// The requestor is missing or unknown (version 1).
    public static let invalidRequestor: EnhancedErrorCode = "invalid_requestor"
    /// The device information is missing or malformed (version 1).
    public static let invalidDeviceInfo: EnhancedErrorCode = "invalid_device_info"
    /// The device identifier is missing or malformed (version 1).
    public static let invalidDeviceID: EnhancedErrorCode = "invalid_device_id"
    /// The request names no resource (version 1).
    public static let missingResource: EnhancedErrorCode = "missing_resource"
    /// The authorization request is malformed (version 1).
    public static let malformedAuthorizationRequest: EnhancedErrorCode = "malformed_authz_request"
    /// The requestor and the provider are not integrated (version 1).
    public static let unknownIntegration: EnhancedErrorCode = "unknown_integration"
    /// The service failed (version 1).
    public static let internalError: EnhancedErrorCode = "internal_error"
}

// MARK: What is known of the codes

extension EnhancedErrorCode {
    /// What the error means; `nil` if the code is none of the above.
    package var meaning: EnhancedErrorMeaning? { Self.known[self]?.meaning }

    /// The action and the status that the service documents for the code; `nil` for the codes of version 1, and for some
    /// others.
    package var documentedAnswer: (action: EnhancedErrorAction, status: Int)? { Self.known[self]?.answer }

    /// The codes above.
    package static let documented: Set<EnhancedErrorCode> = Set(known.keys)

    /// The code if it is a documented one, for descriptions and logs.
    package var shown: String { shown(ifAmong: Self.documented) }

    private static let known: [EnhancedErrorCode: (meaning: EnhancedErrorMeaning, answer: Row.Answer?)] =
        table.reduce(into: [:]) { known, row in
            for code in row.codes { known[code] = (row.meaning, row.answer) }
            for code in row.others { known[code] = (row.meaning, nil) }
        }

    private struct Row {
        typealias Answer = (action: EnhancedErrorAction, status: Int)

        let meaning: EnhancedErrorMeaning
        let answer: Answer
        /// Those with the answer.
        let codes: [EnhancedErrorCode]
        /// Those for which no answer is documented.
        let others: [EnhancedErrorCode]

        init(
            _ meaning: EnhancedErrorMeaning, _ action: EnhancedErrorAction, _ status: Int,
            _ codes: [EnhancedErrorCode], others: [EnhancedErrorCode] = []
        ) {
            (self.meaning, answer, self.codes, self.others) = (meaning, (action, status), codes, others)
        }
    }

    /// What each code means, and what the service documents to be sent with it.
    ///
    /// Source: the service's list of enhanced error codes.
    private static let table: [Row] = [
        Row(
            .profileGone, .authentication, 403,
            [.authenticatedProfileMissing, .authenticatedProfileExpired, .authenticatedProfileInvalidated],
            others: [
                .authenticationSessionMissing, .authenticationSessionExpired, .authenticationSessionInvalidated,
                .preauthorizationAuthenticationSessionMissing, .preauthorizationAuthenticationSessionExpired,
            ]),
        Row(
            .userNotAccepted, .authentication, 403,
            [.authorizationDeniedBySessionInvalidated, .identityNotRecognizedByMVPD],
            others: [.authenticationSessionIssuerMismatch]),
        Row(
            .denied, .noAction, 403,
            [.authorizationDeniedByMVPD, .preauthorizationDeniedByMVPD, .authorizationDeniedByParentalControls],
            others: [.authorizationNotFound, .authorizationExpired]),
        Row(.deniedAtHome, .authentication, 403, [.authorizationDeniedByHBAPolicies]),
        Row(
            .deniedByDegradation, .noAction, 403, [.authorizationDeniedByDegradationRule],
            others: [.authorizationDeniedByDegradationConfigurationChange]),
        Row(.accessTimeOver, .authentication, 403, [.temporaryAccessDurationLimitExceeded]),
        Row(.accessUsedUp, .authentication, 403, [.temporaryAccessResourcesLimitExceeded]),
        Row(
            .providerUnknown, .noAction, 400, [.invalidParameterMVPD, .invalidIntegration],
            others: [.unknownIntegration]),
        Row(.identityMissing, .noAction, 400, [.invalidHeaderIdentityForTemporaryAccess]),
        Row(.codeEnded, .noAction, 400, [.invalidParameterCode, .invalidAuthenticationSession]),
        Row(
            .partnerUndetermined, .noAction, 400,
            [.invalidHeaderPFSPermissionAccessNotPresent, .invalidHeaderPFSPermissionAccessNotDetermined]),
        Row(.partnerDenied, .noAction, 400, [.invalidHeaderPFSPermissionAccessNotGranted]),
        Row(
            .partnerStatusBad, .noAction, 400,
            [
                .invalidHeaderPFSProviderIDNotDetermined, .invalidHeaderPFSProviderIDMismatch,
                .invalidHeaderPFSProviderInfoExpired,
            ]),
        Row(
            .partnerRequestBad, .noAction, 400, [.invalidParameterPartner, .invalidParameterSAMLResponse]),
        Row(
            .clientEnded, .applicationRegistration, 401, [.invalidAccessTokenClientApplication],
            others: [.invalidRefreshToken]),
        Row(.otherBrand, .applicationRegistration, 401, [.invalidAccessTokenServiceProvider]),
        Row(
            .resourcesBad, .noAction, 400, [.invalidParameterResources],
            others: [.missingResource, .malformedAuthorizationRequest]),
        Row(.resourcesBad, .configuration, 403, [.tooManyResources]),
        Row(
            .requestorUnknown, .noAction, 400, [.invalidParameterServiceProvider], others: [.invalidRequestor]),
        Row(.redirectRefused, .noAction, 400, [.invalidParameterRedirectURL]),
        Row(
            .deviceBad, .noAction, 400, [.invalidHeaderDeviceInfo, .invalidHeaderDeviceIdentifier],
            others: [.invalidDeviceInfo, .invalidDeviceID]),
        Row(
            .providerNotReached, .retry, 403,
            [.networkReceivedError, .networkConnectionTimeout, .maximumExecutionTimeExceeded],
            others: [.maximumAttemptsExceeded, .degradedIntegration]),
        Row(.brokerFailed, .noAction, 500, [.internalServerError], others: [.internalError]),
        Row(
            .misconfigured, .configuration, 500,
            [
                .invalidConfigurationUserMetadataCertificate, .invalidConfigurationTemporaryAccess,
                .invalidConfigurationPlatform, .invalidConfigurationPlatformID, .invalidConfigurationPlatformTrait,
                .invalidConfigurationPlatformCategoryTrait, .invalidConfigurationPlatformServices,
                .invalidConfigurationMVPDPlatform, .invalidConfigurationMVPDPlatformBoardingStatus,
                .invalidConfigurationMVPDPlatformProfileExchange,
            ]),
    ]
}
