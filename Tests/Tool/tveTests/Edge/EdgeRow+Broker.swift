#if CLI && Client
import BrokerClient
import DeviceRecords
import SealedRecords
import ServiceResponses

extension EdgeRow {
    /// The way to the broker, and its answers.
    static let broker: [EdgeRow] = [
        EdgeRow(
            "BrokerSettingsError.malformedOrigin", BrokerSettingsError.malformedOrigin(reason: "has no host"),
            option: "--ca", file: "ca.pem", ends: 78, "malformed_origin", at: "ca.pem",
            "--ca: the broker's address has no host; it has the form https://HOST or https://HOST:PORT"),
        EdgeRow(
            "BrokerSettingsError.originWithMore", BrokerSettingsError.originWithMore(part: "path"), option: "--ca",
            file: "ca.pem", ends: 78, "origin_with_more", at: "ca.pem",
            "--ca: the broker's address has a path; it may have none: https://HOST or https://HOST:PORT"),
        EdgeRow(
            "BrokerSettingsError.plainHTTP", BrokerSettingsError.plainHTTP, option: "--ca", file: "ca.pem", ends: 78,
            "plain_http", at: "ca.pem",
            """
            --ca: the broker's address begins with http://, which is accepted for localhost, \
            127.0.0.0/8 and [::1] only; use https://
            """),
        EdgeRow(
            "BrokerSettingsError.unreadableAuthorities",
            BrokerSettingsError.unreadableAuthorities(file: "ca.pem", reason: "is a folder, not a file"),
            option: "--ca", file: "ca.pem", ends: 78, "unreadable_authorities", at: "ca.pem",
            "--ca: the file of authorities ca.pem cannot be read: is a folder, not a file"),
        EdgeRow(
            "BrokerSettingsError.malformedAuthorities", BrokerSettingsError.malformedAuthorities, option: "--ca",
            file: "ca.pem", ends: 78, "malformed_authorities", at: "ca.pem",
            "--ca: the authorities are not one or more certificates in PEM form (-----BEGIN CERTIFICATE-----)"),
        EdgeRow(
            "BrokerSettingsError.malformedProxy",
            BrokerSettingsError.malformedProxy(variable: "HTTPS_PROXY", reason: "has no host"), option: "--ca",
            file: "ca.pem", ends: 78, "malformed_proxy", at: "ca.pem",
            """
            --ca: the proxy's address in HTTPS_PROXY has no host; it has the form http://HOST:PORT or \
            http://USER:PASSWORD@HOST:PORT
            """),
        EdgeRow(
            "BrokerSettingsError.setting", BrokerSettingsError.setting(name: "bodyLimit", reason: "is 0"),
            option: "--ca", file: "ca.pem", ends: 78, "unsuitable_setting", at: "ca.pem",
            "--ca: the setting bodyLimit is 0"),
        EdgeRow(
            "BrokerError.request", BrokerError.request(.noManagement), ends: 64, "no_management",
            """
            the environment has no origin of the management API, where resets are made; ask the \
            broker's operator for it, and make the environment with it. Nothing was sent; --management \
            names it
            """),
        EdgeRow(
            "BrokerError.request", BrokerError.request(.noResources), ends: 64, "no_resources",
            "the list of resources is empty; name at least one. Nothing was sent"),
        EdgeRow(
            "BrokerError.transport", BrokerError.transport(TransportFailure(.tls, mayHaveBeenSent: false)), ends: 69,
            "tls",
            """
            no answer from the broker: the TLS connection failed; is the server's certificate trusted, \
            and made for this name? (the request was not sent)
            """),
        EdgeRow(
            "BrokerError.throttled", BrokerError.throttled(retryAfter: .seconds(30)), ends: 23, "throttled",
            "the broker takes no more requests from this client address; try again in 30 s"),
        EdgeRow(
            "BrokerError.pollSkipped", BrokerError.pollSkipped(retryAfter: .seconds(5)), ends: 23, "poll_skipped",
            "the poll was left out, because it would have had to wait 5 s; poll again later"),
        EdgeRow(
            "BrokerError.borrowedTokenRefused", BrokerError.borrowedTokenRefused, ends: 69, "borrowed_token_refused",
            "the broker refused the access token that the application lent; let it renew the token and ask again"),
        EdgeRow(
            "BrokerError.refused",
            BrokerError.refused(
                EnhancedError(action: .authentication, code: .authenticatedProfileMissing), status: 403), ends: 21,
            "refused",
            """
            the broker refused the call: authenticated_profile_missing, status 403, action \
            authentication; let the user sign in
            """),
        EdgeRow(
            "BrokerError.refused",
            BrokerError.refused(
                EnhancedError(action: .applicationRegistration, code: .invalidAccessTokenClientApplication), status: 401
            ), ends: 24, "refused",
            """
            the broker refused the call: invalid_access_token_client_application, status 401, action \
            application-registration; decide whether to register anew
            """),
        EdgeRow(
            "BrokerError.refused",
            BrokerError.refused(EnhancedError(code: .invalidHeaderIdentityForTemporaryAccess), status: 400), ends: 78,
            "refused",
            """
            the broker refused the call: invalid_header_identity_for_temporary_access, status 400; \
            quote code and trace to the broker's support if the request is right; promotional access \
            needs --identity EMAIL of tve broker login or authorize
            """),
        EdgeRow(
            "BrokerError.refused",
            BrokerError.refused(EnhancedError(action: .retry, code: .networkConnectionTimeout), status: 200), ends: 69,
            "refused",
            """
            the broker refused the call: network_connection_timeout, status 200, action retry; try \
            again later
            """),
        EdgeRow(
            "BrokerError.refused", BrokerError.refused(EnhancedError(code: .internalServerError), status: 500),
            ends: 69, "refused",
            """
            the broker refused the call: internal_server_error, status 500; quote code and trace to the \
            broker's support if the request is right
            """),
        EdgeRow(
            "BrokerError.registration",
            BrokerError.registration(RegistrationRefusal(step: .call, decision: .registerAnew, status: 401)), ends: 24,
            "registration_ended",
            """
            the broker refused a call with a new access token: status 401; decide whether to forget the \
            device's credentials and register anew, which ends all of its logins
            """),
        EdgeRow(
            "BrokerError.registration",
            BrokerError.registration(
                RegistrationRefusal(step: .registration, decision: .replaceStatement, status: 400)), ends: 78,
            "statement_refused",
            """
            the broker refused to register the application: status 400; ask the broker's operator for a \
            new software statement with the scope of REST API V2
            """),
        EdgeRow(
            "BrokerError.registration",
            BrokerError.registration(RegistrationRefusal(step: .call, decision: .replaceStatement, status: 403)),
            ends: 78, "statement_refused",
            """
            the broker refused a call with a new access token: status 403; give resets a software statement of \
            the brand with the scope temporary:passes:owner, which the broker's operator issues; the logins of the \
            device are not concerned; --statement names its file
            """),
        EdgeRow(
            "BrokerError.unavailable", BrokerError.unavailable(status: 503, retryAfter: nil), ends: 69, "unavailable",
            "the broker, or a server before it, is out of service: status 503; try again later"),
        EdgeRow(
            "BrokerError.unreadable", BrokerError.unreadable(UnreadableAnswer(status: 200, contentType: "text/html")),
            ends: 69, "unreadable_answer",
            "the broker's answer cannot be read: status 200, text/html; is it the broker that answers there?"),
        EdgeRow(
            "BrokerError.unsafeAddress", BrokerError.unsafeAddress(.scheme), ends: 69, "unsafe_address",
            "the broker's answer holds an address that must not be opened: its scheme is not https"),
        EdgeRow(
            "BrokerError.store", BrokerError.store(.contended(attempts: 8)), ends: 69, "device_record_contended",
            """
            the device's record: a device's record was changed by others in 8 attempts; let fewer \
            processes serve one device
            """),
        EdgeRow(
            "BrokerError.store", BrokerError.store(.sealing(.otherRing)), ends: 78, "sealing_keys_of_another_store",
            """
            the device's record: the store was sealed with another file of sealing keys; give that \
            file, or start with an empty store
            """),
        EdgeRow("BrokerError.cancelled", BrokerError.cancelled, ends: 69, "cancelled", "the call was cancelled"),
    ]
}
#endif
