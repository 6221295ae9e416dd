"""The broker's error object, bare or wrapped, and attributes with an error instead of a value."""

from . import builder as b
from .hostile import FULL

KIND = "error"
ERROR = {"status": 403, "code": "authenticated_profile_missing", "message": "Test message.", "action": "authentication"}
FULL_ERROR = ERROR | {"details": "d", "helpUrl": "https://example.com/h", "trace": "t-17"}
# Beside the names in ../service_responses.
NEWER_CODES = [
    "authorization_denied_by_degradation_configuration_change", "invalid_refresh_token", "maximum_attempts_exceeded",
    "degraded_integration", "network_connection_failure", "temppass_expired",
]


def add(suite):
    def accept(comment, body, expected, flags="ErrorBody"):
        suite.accept(KIND, comment, flags, body, expected)

    for code in NEWER_CODES:
        accept(code, ERROR | {"code": code}, ERROR | {"code": code})
    accept("bare", FULL_ERROR, FULL_ERROR)
    accept("wrapped", {"error": FULL_ERROR}, FULL_ERROR)
    accept("wrapped, the status a string", {"error": ERROR | {"status": "403"}}, ERROR, "ErrorBody Spelling")
    accept("bare, the status a string", ERROR | {"status": "403"}, ERROR, "ErrorBody Spelling")
    accept("wrapped, with nothing but a code", {"error": {"code": "x"}}, {"code": "x"})
    accept("wrapped, unknown members inside and beside it", {"error": ERROR | {"a": 1}, "b": 2, "a": 3},
           ERROR | b.other(a=1, b=2), "ErrorBody UnknownMember")
    accept("wrapped, a known member beside it", {"trace": "outside", "error": ERROR}, ERROR, "ErrorBody UnknownMember")
    accept("bare, with a member `error`", ERROR | {"error": {"code": "inner"}},
           ERROR | b.other(error={"code": "inner"}), "ErrorBody UnknownMember")
    accept("wrapped, status and code beside it null", {"status": None, "code": None, "error": ERROR}, ERROR,
           "ErrorBody MissingMember")
    accept("wrapped twice", {"error": {"code": "x", "error": ERROR}}, {"code": "x"} | b.other(error=ERROR),
           "ErrorBody UnknownMember")
    suite.refuse(KIND, "wrapped, without status and code", "ErrorBody MissingMember", {"error": {"message": "m"}},
                 "missing_member", "/error/code")
    suite.refuse(KIND, "wrapped, a wrong status", "ErrorBody WrongType", {"error": ERROR | {"status": "forbidden"}},
                 "wrong_type", "/error/status")
    suite.refuse(KIND, "the error of registration", "ErrorBody MissingMember", {"error": "invalid_client"},
                 "missing_member", "/code")
    for kind in ("configuration", "session", "session-status", "logout", "profiles", "decisions"):
        suite.refuse(kind, "the error object instead, bare", "ErrorBody", FULL_ERROR, "service_error")
        suite.refuse(kind, "the error object instead, wrapped", "ErrorBody", {"error": FULL_ERROR}, "service_error")
        suite.refuse(kind, "the error object instead, wrapped, without a status", "ErrorBody",
                     {"error": b.without(ERROR, "status")}, "service_error")
        main = FULL[kind][0]
        suite.refuse(kind, "a wrapped object that is not an error", "MissingMember", {"error": {"message": "m"}},
                     "missing_member", f"/{main}")
        suite.refuse(kind, "the error of registration instead", "MissingMember", {"error": "invalid_client"},
                     "missing_member", f"/{main}")
    add_attributes(suite)
    add_decisions(suite)


def add_attributes(suite):
    user = {"value": "u-17", "state": "plain"}
    times = {"notBefore": b.START, "notAfter": b.END, "issuer": "NorthCable", "type": "regular"}

    def accept(comment, given, expected, flags="AttributeError"):
        body = {"profiles": {"NorthCable": times | {"attributes": {"zip": given, "userID": user}}}}
        attributes = [{"name": "zip"} | expected, {"name": "userID", "value": '"u-17"'}]
        read = {"mvpd": "NorthCable"} | times | {"attributes": attributes}
        suite.accept("profiles", comment, flags, body, {"profiles": [read]})

    code = "invalid_configuration_user_metadata_certificate"
    accept("an error instead of the value", {"error": code}, {"error": code})
    accept("an error and a state", {"error": code, "state": "enc"}, {"error": code})
    accept("an error and null", {"value": None, "error": code}, {"error": code, "value": "null"})
    accept("an error and an unknown member", {"error": code, "hint": 1}, {"error": code} | b.other(hint=1),
           "AttributeError UnknownMember")
    accept("an error of a new name", {"error": "moon_phase"}, {"error": "moon_phase"})
    accept("an error beside a value", {"value": "1", "state": "plain", "error": code},
           {"value": '"1"'} | b.other(error=code), "AttributeError UnknownMember")
    accept("an error that is an object", {"error": {"code": code}},
           {"fault": "bad_attribute"} | b.other(error={"code": code}), "AttributeError WrongType")
    accept("an error that is null", {"error": None}, {"fault": "bad_attribute"} | b.other(error=None),
           "AttributeError MissingMember")


def add_decisions(suite):
    """Decisions whose errors the reference's samples spell wrongly."""
    base = {"resource": "W1", "serviceProvider": "WAVE", "mvpd": "NorthCable"}
    denied = {"status": 403, "code": "authorization_denied_by_mvpd", "details": 'Your plan lacks "Wave Plus" today.'}
    for comment, source, error in [
        ("denied, with quotes in the details", "mvpd", denied),
        ("denied by a rule", "degradation", {"status": 403, "code": "authorization_denied_by_degradation_rule"}),
        ("denied, with an unknown member of the error", "mvpd", denied | {"hint": 1}),
    ]:
        given = base | {"authorized": False, "source": source, "error": error}
        read = given | {"error": b.without(error, "hint") | (b.other(hint=1) if "hint" in error else {})}
        suite.accept("decisions", comment, "ErrorBody", {"decisions": [given]}, {"decisions": [read]})
    permitted = base | {"authorized": True, "source": "degradation"}
    two = {"decisions": [permitted, permitted | {"resource": "W2 "}]}
    suite.accept("decisions", "two permissions without token and times", "ErrorBody", two, two)
