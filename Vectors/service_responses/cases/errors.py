"""Errors: the enhanced form of both versions, and the older one of REST v1."""

from . import builder as b

KIND = "error"

PARAMETERS = ["service_provider", "mvpd", "code", "resources", "redirect_url", "partner", "saml_response"]
HEADERS = [
    "device_info",
    "device_identifier",
    "identity_for_temporary_access",
    "pfs_permission_access_not_present",
    "pfs_permission_access_not_determined",
    "pfs_permission_access_not_granted",
    "pfs_provider_id_not_determined",
    "pfs_provider_id_mismatch",
    "pfs_provider_info_expired",
]
CONFIGURATIONS = [
    "user_metadata_certificate",
    "temporary_access",
    "platform",
    "platform_id",
    "platform_trait",
    "platform_category_trait",
    "platform_services",
    "mvpd_platform",
    "mvpd_platform_boarding_status",
    "mvpd_platform_profile_exchange",
]

# Action and status of REST v2 -> codes.
CODES = {
    ("none", 400): [f"invalid_parameter_{name}" for name in PARAMETERS]
    + [f"invalid_header_{name}" for name in HEADERS]
    + ["invalid_integration", "invalid_authentication_session"],
    ("none", 403): [
        "preauthorization_denied_by_mvpd",
        "authorization_denied_by_mvpd",
        "authorization_denied_by_parental_controls",
        "authorization_denied_by_degradation_rule",
    ],
    ("none", 500): ["internal_server_error"],
    ("configuration", 403): ["too_many_resources"],
    ("configuration", 500): [f"invalid_configuration_{name}" for name in CONFIGURATIONS],
    ("application-registration", 401): [
        "invalid_access_token_service_provider",
        "invalid_access_token_client_application",
    ],
    ("authentication", 403): [
        "authenticated_profile_missing",
        "authenticated_profile_expired",
        "authenticated_profile_invalidated",
        "temporary_access_duration_limit_exceeded",
        "temporary_access_resources_limit_exceeded",
        "authorization_denied_by_hba_policies",
        "authorization_denied_by_session_invalidated",
        "identity_not_recognized_by_mvpd",
    ],
    ("retry", 403): ["network_received_error", "network_connection_timeout", "maximum_execution_time_exceeded"],
}

# Status of REST v1 -> codes that version 2 does not have.
OLD_CODES = {
    400: [
        "invalid_requestor",
        "invalid_device_info",
        "invalid_device_id",
        "malformed_authz_request",
        "internal_error",
        "unknown_integration",
        "authentication_session_issuer_mismatch",
    ],
    403: [
        "authentication_session_invalidated",
        "authentication_session_missing",
        "authentication_session_expired",
        "authorization_not_found",
    ],
    410: ["authorization_expired"],
    412: [
        "missing_resource",
        "preauthorization_authentication_session_missing",
        "preauthorization_authentication_session_expired",
    ],
}


def error(code, status, action, **more):
    return {"action": action, "status": status, "code": code, "message": "Test message.", **more}


def add(suite):
    def accept(comment, body, wanted=None, flags="ErrorBody"):
        suite.accept(KIND, comment, flags, body, wanted or body)

    def refuse(comment, body, code, path, flags="ErrorBody WrongType"):
        suite.refuse(KIND, comment, flags, body, code, path)

    for (action, status), codes in CODES.items():
        accept(f"{codes[-1]}, status {status}", error(codes[-1], status, action))
    for status, codes in OLD_CODES.items():
        for code in codes:
            accept(f"{code}, status {status}, of version 1", error(code, status, "none"))
    full = error(
        "authenticated_profile_expired",
        403,
        "authentication",
        details="d",
        helpUrl="https://example.com/h",
        trace="t-17",
    )
    accept("with details, help and trace", full)
    accept("the old form", {"status": 410, "message": "Gone", "details": "expired"})
    accept("the old form, status as a string", {"status": "410", "message": "Gone"}, {"status": 410, "message": "Gone"})
    accept(
        "the old form, details null",
        {"status": 404, "message": "Not Found", "details": None},
        {"status": 404, "message": "Not Found"},
        "ErrorBody MissingMember",
    )
    accept("a code and an action nobody knows", error("quota_exceeded", 429, "wait"), None, "ErrorBody UnknownMember")
    accept(
        "a status that is none of HTTP", error("internal_server_error", 999, "none"), None, "ErrorBody UnknownMember"
    )
    accept(
        "members nobody knows",
        error("internal_server_error", 500, "none", hint={"a": 1}),
        error("internal_server_error", 500, "none") | {"other": b.other(hint={"a": 1})},
        "ErrorBody UnknownMember",
    )
    accept(
        "details that must not be lost",
        error("authorization_denied_by_mvpd", 403, "none", details="0033: not authorized"),
    )
    accept(
        "a message in Japanese, line ends in the details",
        {"status": 403, "message": "許可されていません", "details": "a\nb"},
        None,
        "ErrorBody Unicode",
    )
    for comment, value in {
        "a fraction": 403.5,
        "words": "Forbidden",
        "true": True,
        "an array": [403],
        "2^63": 2**63,
        "signed": "+403",
        "empty": "",
    }.items():
        refuse(f"status: {comment}", {"status": value, "message": "m"}, "wrong_type", "/status")
    for member in ("code", "message", "action", "details", "helpUrl", "trace"):
        refuse(
            f"{member}: a number",
            error("internal_server_error", 500, "none") | {member: 17},
            "wrong_type",
            f"/{member}",
        )
    suite.either(KIND, "an empty object", "ErrorBody MissingMember", {}, {}, "missing_member", "/code")
    add_in_place_of_answers(suite)


def add_in_place_of_answers(suite):
    """The service answers with its error instead of what was asked for, and not always with a status of HTTP."""
    for kind in ("profiles", "decisions", "usermetadata", "authentication", "authorization"):
        code = "authenticated_profile_missing"
        body = error(code, 403, "authentication", helpUrl="https://example.com/h", trace="t-17")
        suite.refuse(kind, "an enhanced error instead", "ErrorBody", body, "service_error")
        body = {"status": 410, "message": "Gone", "details": "expired"}
        suite.refuse(kind, "an error of the old form instead", "ErrorBody", body, "service_error")
        body = {"status": "412", "message": "No authentication"}
        suite.refuse(kind, "an error of the old form, its status a string", "ErrorBody", body, "service_error")
