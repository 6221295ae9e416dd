#if Client
import BrokerSimulation
import ServiceResponses
import Testing

/// The broker's list of error codes, written down a second time from the reference.
@Suite("The table of errors")
struct ErrorTableTests {
    static let table: [(action: String, status: Int, codes: String)] = [
        (
            "none", 400,
            """
            invalid_parameter_service_provider invalid_parameter_mvpd invalid_parameter_code invalid_parameter_resources
            invalid_parameter_redirect_url invalid_parameter_partner invalid_parameter_saml_response
            invalid_header_device_info invalid_header_device_identifier
            invalid_header_identity_for_temporary_access invalid_header_pfs_permission_access_not_present
            invalid_header_pfs_permission_access_not_determined invalid_header_pfs_permission_access_not_granted
            invalid_header_pfs_provider_id_not_determined invalid_header_pfs_provider_id_mismatch
            invalid_header_pfs_provider_info_expired invalid_integration invalid_authentication_session
            """
        ),
        (
            "none", 403,
            """
            preauthorization_denied_by_mvpd authorization_denied_by_mvpd authorization_denied_by_parental_controls
            authorization_denied_by_degradation_rule
            """
        ),
        ("none", 500, "internal_server_error"),
        ("configuration", 403, "too_many_resources"),
        (
            "configuration", 500,
            """
            invalid_configuration_user_metadata_certificate invalid_configuration_temporary_access
            invalid_configuration_platform invalid_configuration_platform_id invalid_configuration_platform_trait
            invalid_configuration_platform_category_trait invalid_configuration_platform_services
            invalid_configuration_mvpd_platform invalid_configuration_mvpd_platform_boarding_status
            invalid_configuration_mvpd_platform_profile_exchange
            """
        ),
        (
            "application-registration", 401,
            "invalid_access_token_service_provider invalid_access_token_client_application"
        ),
        (
            "authentication", 403,
            """
            authenticated_profile_missing authenticated_profile_expired authenticated_profile_invalidated
            temporary_access_duration_limit_exceeded temporary_access_resources_limit_exceeded
            authorization_denied_by_hba_policies authorization_denied_by_session_invalidated
            identity_not_recognized_by_mvpd
            """
        ),
        ("retry", 403, "network_received_error network_connection_timeout maximum_execution_time_exceeded"),
    ]

    /// The codes of version 1, and others that the reference has without an action and a status.
    static let others = (
        action: "none", status: 500,
        codes: """
        authentication_session_missing authentication_session_expired authentication_session_invalidated
        authentication_session_issuer_mismatch preauthorization_authentication_session_missing
        preauthorization_authentication_session_expired authorization_not_found authorization_expired
        unknown_integration internal_error missing_resource malformed_authz_request invalid_requestor
        invalid_device_info invalid_device_id authorization_denied_by_degradation_configuration_change
        invalid_refresh_token maximum_attempts_exceeded degraded_integration
        """
    )

    @Test func `Each code has its action and status`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        var count = 0
        for (action, status, codes) in Self.table + [Self.others] {
            for code in codes.split(whereSeparator: \.isWhitespace) {
                let scenario = try #require(Scenario(named: "error:\(code)"))
                simulation.simulator.activate(ActiveScenario("one", scenario, remaining: 1))
                let answer = await device.get("/api/v2/REF30/profiles")
                let error: EnhancedError = try answer.read()
                #expect(error.code?.rawValue == String(code))
                #expect(answer.status == status && error.status == status, "\(code)")
                #expect(error.action?.rawValue == action, "\(code)")
                count += 1
            }
        }
        #expect(count == EnhancedErrorCode.documented.count)
    }
}
#endif
