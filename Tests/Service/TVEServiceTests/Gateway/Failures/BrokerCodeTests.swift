#if Service
import BrokerClient
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TVEService
import Testing

/// The kind of failure that each of the broker's codes is.
@Suite("The broker's codes")
struct BrokerCodeTests {
    static let rows: [(kind: FailureKind, codes: String)] = [
        (
            .notSignedIn,
            """
            authenticated_profile_missing authenticated_profile_expired authenticated_profile_invalidated
            authorization_denied_by_session_invalidated identity_not_recognized_by_mvpd authentication_session_missing
            authentication_session_expired authentication_session_invalidated authentication_session_issuer_mismatch
            preauthorization_authentication_session_missing preauthorization_authentication_session_expired
            """
        ),
        (
            .denied,
            """
            authorization_denied_by_mvpd preauthorization_denied_by_mvpd authorization_denied_by_parental_controls
            authorization_denied_by_degradation_rule authorization_denied_by_degradation_configuration_change
            authorization_denied_by_hba_policies authorization_not_found authorization_expired
            """
        ),
        (.usedUp, "temporary_access_duration_limit_exceeded temporary_access_resources_limit_exceeded"),
        (.unknownProvider, "invalid_parameter_mvpd invalid_integration unknown_integration"),
        (.identityNeeded, "invalid_header_identity_for_temporary_access"),
        (.signInEnded, "invalid_authentication_session invalid_parameter_code"),
        (
            .partnerRefused,
            """
            invalid_header_pfs_permission_access_not_present invalid_header_pfs_permission_access_not_determined
            invalid_header_pfs_permission_access_not_granted invalid_header_pfs_provider_id_not_determined
            invalid_header_pfs_provider_id_mismatch invalid_header_pfs_provider_info_expired invalid_parameter_partner
            invalid_parameter_saml_response
            """
        ),
        (.registrationEnded, "invalid_access_token_client_application invalid_refresh_token"),
        (
            .providerDown,
            """
            network_received_error network_connection_timeout maximum_execution_time_exceeded
            maximum_attempts_exceeded degraded_integration
            """
        ),
        (.failed, "internal_server_error internal_error"),
        (.badRequest, "invalid_parameter_resources too_many_resources missing_resource malformed_authz_request"),
        (
            .refusedApplication,
            """
            invalid_parameter_service_provider invalid_parameter_redirect_url invalid_header_device_info
            invalid_header_device_identifier invalid_access_token_service_provider invalid_requestor
            invalid_device_info invalid_device_id invalid_configuration_user_metadata_certificate
            invalid_configuration_temporary_access invalid_configuration_platform invalid_configuration_platform_id
            invalid_configuration_platform_trait invalid_configuration_platform_category_trait
            invalid_configuration_platform_services invalid_configuration_mvpd_platform
            invalid_configuration_mvpd_platform_boarding_status invalid_configuration_mvpd_platform_profile_exchange
            """
        ),
    ]

    @Test func `Each documented code has its kind, whatever the broker's action and status`() {
        var seen: Set<EnhancedErrorCode> = []
        for (kind, codes) in Self.rows {
            for code in codes.split(whereSeparator: \.isWhitespace).map({ EnhancedErrorCode(String($0)) }) {
                for action in [nil, .retry, .authentication] as [EnhancedErrorAction?] {
                    for status in [400, 429, 500] {
                        let error = EnhancedError(action: action, status: status, code: code)
                        let found = FailureKind(.broker(.refused(error, status: status)))
                        #expect(found == kind, "\(code), \(String(describing: action)), \(status)")
                    }
                }
                #expect(FailureKind.knownCodes.contains(code.rawValue))
                seen.insert(code)
            }
        }
        #expect(seen == EnhancedErrorCode.documented)
    }
}
#endif
