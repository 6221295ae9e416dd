#if Client
import EntitlementFlows
import EntitlementValues
import Foundation
import ServiceResponses
import TestVectors
import Testing

/// What the operator's library said of each error of the broker: for each call, `original error / code`.
@Suite struct LegacyErrorTableTests {
    /// One row: the broker's code, and what was said in an authorization, an authentication and a preauthorization.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: String
        let authorization: String
        let authentication: String
        let preauthorization: String

        var testDescription: String { code }

        init(_ line: Substring) {
            let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            (code, authorization, authentication, preauthorization) = (parts[0], parts[1], parts[2], parts[3])
        }
    }

    // NA: User Not Authenticated Error. NZ: User not Authorized Error. GN, GZ: the generic errors, IN, IZ: the internal
    // ones of an authentication (N) and an authorization (Z). PA: Provider not Available Error. IE: Internal Error.
    static let rows: [Row] = """
        authenticated_profile_missing | NA N000 | NA N000 | - N000
        authenticated_profile_expired | NA N000 | NA N000 | - N000
        authenticated_profile_invalidated | NA N000 | NA N000 | - N000
        authorization_denied_by_session_invalidated | NA N000 | NA N000 | - N000
        identity_not_recognized_by_mvpd | NA N000 | NA N000 | - N000
        authentication_session_missing | NA N000 | NA N000 | - N000
        authentication_session_expired | NA N000 | NA N000 | - N000
        authentication_session_invalidated | NA N000 | NA N000 | - N000
        authentication_session_issuer_mismatch | NA N000 | NA N000 | - N000
        preauthorization_authentication_session_missing | NA N000 | NA N000 | - N000
        preauthorization_authentication_session_expired | NA N000 | NA N000 | - N000
        authorization_denied_by_mvpd | NZ Z100 | GN N500 | - P100
        preauthorization_denied_by_mvpd | NZ Z100 | GN N500 | - P100
        authorization_denied_by_parental_controls | NZ Z100 | GN N500 | - P100
        authorization_denied_by_hba_policies | NZ Z100 | GN N500 | - P100
        authorization_not_found | NZ Z100 | GN N500 | - P100
        authorization_expired | NZ Z100 | GN N500 | - P100
        authorization_denied_by_degradation_rule | NZ Z169 | GN N500 | - P100
        authorization_denied_by_degradation_configuration_change | NZ Z169 | GN N500 | - P100
        temporary_access_duration_limit_exceeded | NZ N111 | GN N111 | - P100
        temporary_access_resources_limit_exceeded | NZ N111 | GN N111 | - P100
        network_received_error | GZ Z120 | GN N500 | - P100
        network_connection_timeout | GZ Z120 | GN N500 | - P100
        maximum_execution_time_exceeded | GZ Z120 | GN N500 | - P100
        maximum_attempts_exceeded | GZ Z120 | GN N500 | - P100
        degraded_integration | GZ Z120 | GN N500 | - P100
        invalid_parameter_resources | GZ Z130 | GN N500 | - P100
        missing_resource | GZ Z130 | GN N500 | - P100
        malformed_authz_request | GZ Z130 | GN N500 | - P100
        too_many_resources | GZ Z130 | GN N500 | - P100
        internal_server_error | IZ Z500 | IN N500 | - P100
        internal_error | IZ Z500 | IN N500 | - P100
        invalid_configuration_user_metadata_certificate | IZ Z500 | IN N500 | - P100
        invalid_configuration_temporary_access | IZ Z500 | IN N500 | - P100
        invalid_configuration_platform | IZ Z500 | IN N500 | - P100
        invalid_configuration_platform_id | IZ Z500 | IN N500 | - P100
        invalid_configuration_platform_trait | IZ Z500 | IN N500 | - P100
        invalid_configuration_platform_category_trait | IZ Z500 | IN N500 | - P100
        invalid_configuration_platform_services | IZ Z500 | IN N500 | - P100
        invalid_configuration_mvpd_platform | IZ Z500 | IN N500 | - P100
        invalid_configuration_mvpd_platform_boarding_status | IZ Z500 | IN N500 | - P100
        invalid_configuration_mvpd_platform_profile_exchange | IZ Z500 | IN N500 | - P100
        invalid_authentication_session | GZ N130 | GN N130 | - N130
        invalid_parameter_code | GZ N130 | GN N130 | - N130
        invalid_access_token_service_provider | GZ R401 | GN R401 | - R401
        invalid_access_token_client_application | GZ R401 | GN R401 | - R401
        invalid_refresh_token | GZ R401 | GN R401 | - R401
        invalid_parameter_service_provider | GZ CFG400 | GN CFG400 | - CFG400
        invalid_requestor | GZ CFG400 | GN CFG400 | - CFG400
        invalid_parameter_redirect_url | GZ SEC403 | GN SEC403 | - SEC403
        invalid_parameter_mvpd | PA Z500 | PA N500 | - P100
        invalid_integration | PA Z500 | PA N500 | - P100
        unknown_integration | PA Z500 | PA N500 | - P100
        invalid_header_device_info | IE 500 | IE 500 | - 500
        invalid_header_device_identifier | IE 500 | IE 500 | - 500
        invalid_device_info | IE 500 | IE 500 | - 500
        invalid_device_id | IE 500 | IE 500 | - 500
        invalid_header_identity_for_temporary_access | GZ Z500 | GN N500 | - P100
        invalid_header_pfs_permission_access_not_granted | GZ VSA403 | GN VSA403 | - VSA403
        invalid_header_pfs_permission_access_not_determined | GZ VSA404 | GN VSA404 | - VSA404
        invalid_header_pfs_permission_access_not_present | GZ VSA404 | GN VSA404 | - VSA404
        invalid_header_pfs_provider_id_not_determined | GZ VSA503 | GN VSA503 | - VSA503
        invalid_header_pfs_provider_id_mismatch | GZ VSA503 | GN VSA503 | - VSA503
        invalid_header_pfs_provider_info_expired | GZ VSA503 | GN VSA503 | - VSA503
        invalid_parameter_partner | GZ AAPL | GN AAPL | - AAPL
        invalid_parameter_saml_response | GZ AAPL | GN AAPL | - AAPL
        """.split(separator: "\n").map(Row.init)

    private static let originals = [
        "NA": "User Not Authenticated Error", "NZ": "User not Authorized Error",
        "GN": "Generic Authentication Error", "GZ": "Generic Authorization Error",
        "IN": "Internal Authentication Error", "IZ": "Internal Authorization Error",
        "PA": "Provider not Available Error", "IE": "Internal Error",
    ]

    /// Reads `NA N000`.
    private static func error(_ text: String) -> LegacyError {
        let parts = text.split(separator: " ").map(String.init)
        return LegacyError(originals[parts[0]].map(OriginalError.init), StatusCode(parts[1]))
    }

    @Test(arguments: rows)
    func `An error of the broker has its old words`(row: Row) throws {
        let code = EnhancedErrorCode(row.code)
        #expect(try #require(code.legacy(in: .authorization)) == Self.error(row.authorization))
        #expect(try #require(code.legacy(in: .authentication)) == Self.error(row.authentication))
        #expect(try #require(code.legacy(in: .preauthorization)) == Self.error(row.preauthorization))
        // Metadata had an empty answer instead of an error, and a logout succeeds on the device.
        #expect(code.legacy(in: .metadata)?.original == nil && code.legacy(in: .logout)?.original == nil)
        #expect(code.legacy(in: .metadata)?.code == nil)
    }

    @Test func `Each code that the library of answers names has a row`() throws {
        let source = Vectors.repository.appending(
            path: "Sources/Core/ServiceResponses/Errors/EnhancedErrorCode.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let names = text.split(separator: "\n").filter { !$0.contains("///") }.flatMap { line in
            line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
                .map { String($0.element) }
        }
        .filter { !$0.contains(" ") }
        #expect(names.count > 60)
        #expect(Set(names) == Set(EnhancedErrorCode.documented.map(\.rawValue)))
        #expect(Set(names) == Set(Self.rows.map(\.code)))
    }

    @Test(arguments: [
        ("some_new_code", "authentication", 403, "NA N000"),
        ("some_new_code", "application-registration", 401, "GZ R401"),
        ("some_new_code", "retry", 403, "GZ Z120"),
        ("some_new_code", "configuration", 500, "IZ Z500"),
        ("some_new_code", "none", 502, "IZ Z500"),
        ("some_new_code", "none", 403, "NZ Z100"),
        ("some_new_code", "none", 400, "GZ Z500"),
    ])
    func `A code that is not known counts by its action, then by its status`(
        code: String, action: String, status: Int, expected: String
    ) {
        let error = EnhancedError(action: EnhancedErrorAction(action), status: status, code: EnhancedErrorCode(code))
        #expect(EnhancedErrorCode(code).legacy(in: .authorization) == nil)
        #expect(error.legacy(in: .authorization) == Self.error(expected))
    }

    @Test func `The errors of the first system are spelled as the operator spells them`() {
        #expect(
            OriginalError.documented.map(\.rawValue) == [
                "Internal Error", "Provider not Selected Error", "Provider not Available Error",
                "Generic Authentication Error", "Internal Authentication Error", "User Not Authenticated Error",
                "Generic Authorization Error", "Internal Authorization Error", "User not Authorized Error",
            ])
    }
}
#endif
