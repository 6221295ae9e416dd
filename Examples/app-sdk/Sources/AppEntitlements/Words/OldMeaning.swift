/// What a code of the gateway or of the broker means in the words of the operator's library.
///
/// The mapping is that of the article *Leaving the SDK* of the package that the gateway is part of.
enum OldMeaning: Sendable, Hashable {
    case notAuthenticated
    case denied
    case deniedByDegradation
    case temporaryAccessEnded
    case providerNotReached
    case badResource
    case providerNotAvailable
    case codeEnded
    case serverFailure
    case ownFailure
    case throttled
    case generic
    case code(StatusCode)

    /// What the library said of it in a call.
    func words(in call: OldCall) -> OldCall.Words {
        switch self {
        case .notAuthenticated: call.notAuthenticated
        case .denied: call.denying(OriginalError.userNotAuthorized, .notAuthorized)
        case .deniedByDegradation: call.denying(OriginalError.userNotAuthorized, .deniedByDegradation)
        case .temporaryAccessEnded: call.denying(OriginalError.userNotAuthorized, .temporaryAccessEnded)
        case .providerNotReached: call.denying(OriginalError.genericAuthorization, .providerNotReached)
        case .badResource: call.denying(OriginalError.genericAuthorization, .resourceNotValid)
        case .providerNotAvailable: call.refusingProvider
        case .codeEnded: call.failing(with: .authenticationNotFound)
        case .serverFailure: call.serverFailure
        case .ownFailure: call.ownFailure
        case .throttled: call.throttled
        case .generic: call.generic
        case .code(let code): call.failing(with: code)
        }
    }

    /// The meanings of the codes that are known.
    static let table: [String: OldMeaning] = {
        var table: [String: OldMeaning] = [:]
        for (meaning, codes) in codes { for code in codes.split(separator: " ") { table[String(code)] = meaning } }
        return table
    }()

    private static let codes: [(OldMeaning, String)] = [
        (
            .notAuthenticated,
            """
            not_authenticated authenticated_profile_missing authenticated_profile_expired authenticated_profile_invalidated \
            authorization_denied_by_session_invalidated identity_not_recognized_by_mvpd authentication_session_missing \
            authentication_session_expired authentication_session_invalidated authentication_session_issuer_mismatch \
            preauthorization_authentication_session_missing preauthorization_authentication_session_expired
            """
        ),
        (
            .denied,
            """
            authorization_denied_by_mvpd preauthorization_denied_by_mvpd authorization_denied_by_parental_controls \
            authorization_denied_by_hba_policies authorization_not_found authorization_expired denied too_many_streams
            """
        ),
        (
            .deniedByDegradation,
            "authorization_denied_by_degradation_rule authorization_denied_by_degradation_configuration_change"
        ),
        (
            .temporaryAccessEnded,
            "temporary_access_duration_limit_exceeded temporary_access_resources_limit_exceeded"
        ),
        (
            .providerNotReached,
            """
            network_received_error network_connection_timeout maximum_execution_time_exceeded maximum_attempts_exceeded \
            degraded_integration broker_timeout broker_unreachable
            """
        ),
        (.badResource, "invalid_parameter_resources missing_resource malformed_authz_request too_many_resources"),
        (.providerNotAvailable, "unknown_provider invalid_parameter_mvpd invalid_integration unknown_integration"),
        (.codeEnded, "code_ended invalid_authentication_session invalid_parameter_code"),
        (.throttled, "throttled too_many_requests"),
        // The viewer is signed in, and the app has to ask who they are.
        (.generic, "identity_needed invalid_header_identity_for_temporary_access"),
        (.code(.requestorNotValid), "invalid_parameter_service_provider invalid_requestor unknown_app"),
        (.code(.returnNotAllowed), "invalid_parameter_redirect_url return_address_not_allowed"),
        (
            .code(.notRegistered),
            """
            not_attested attestation_unavailable invalid_software_statement statement_refused redirect_uri_refused \
            registration_request_refused
            """
        ),
        (.code(.connectionNotTrusted), "broker_not_trusted"),
        (
            .code(.noAccessToken),
            """
            invalid_access_token_service_provider invalid_access_token_client_application invalid_refresh_token \
            no_device_token bad_device_token device_token_expired device_token_revoked registration_ended \
            client_not_permitted
            """
        ),
        (.code(.partnerPermissionDenied), "invalid_header_pfs_permission_access_not_granted"),
        (
            .code(.partnerPermissionUndetermined),
            """
            invalid_header_pfs_permission_access_not_determined invalid_header_pfs_permission_access_not_present
            """
        ),
        (
            .code(.partnerRequestFailed),
            """
            invalid_header_pfs_provider_id_not_determined invalid_header_pfs_provider_id_mismatch \
            invalid_header_pfs_provider_info_expired
            """
        ),
        (.code(.partnerFailed), "invalid_parameter_partner invalid_parameter_saml_response"),
    ]
}

extension GatewayError {
    /// What the operator's library said of the failure.
    ///
    /// - Parameter call: The library's call.
    /// - Returns: The text of its first system, and the code of its second.
    func words(in call: OldCall) -> OldCall.Words {
        switch self {
        case .refused(let refusal): refusal.words(in: call)
        case .transport(let failure): failure.words(in: call)
        case .unreadable(let status, _):
            status == 429
                ? call.throttled : call == .setRequestor ? ("", .configurationFailed(status)) : call.serverFailure
        case .requestorNotSet: call.failing(with: .requestorNotValid)
        case .unsafeAddress, .storage, .notPlaying: call.ownFailure
        case .cancelled: (call.generic.original, nil)
        }
    }
}

extension TransportFailure {
    fileprivate func words(in call: OldCall) -> OldCall.Words {
        switch self {
        case .notTrusted: call.failing(with: .connectionNotTrusted)
        case .notConnected: call.failing(with: .serverNotFound)
        case .tooLong: call.serverFailure
        default:
            call == .setRequestor ? ("", .serverNotFound) : OldMeaning.providerNotReached.words(in: call)
        }
    }
}

extension GatewayRefusal {
    /// A code that is not known counts by the action of the refusal.
    fileprivate func words(in call: OldCall) -> OldCall.Words {
        if call == .setRequestor, status == 400 { return ("", .requestorNotValid) }
        if call == .setRequestor, status >= 500 {
            switch OldMeaning.table[code] {
            case nil, .providerNotReached?: return ("", .configurationFailed(status))
            default: break
            }
        }
        if let meaning = OldMeaning.table[code] { return meaning.words(in: call) }
        return switch action {
        case .signIn: call.notAuthenticated
        case .chooseProvider: call.refusingProvider
        case .showMessage: OldMeaning.denied.words(in: call)
        case .retry: call.serverFailure
        case .none: status >= 500 ? call.serverFailure : call.ownFailure
        }
    }
}
