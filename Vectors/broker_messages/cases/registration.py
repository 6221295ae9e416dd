"""Client credentials, access tokens, and the errors of both endpoints."""

from . import builder as b

CREDENTIALS = {
    "client_id": "c3f6a1f0-17b4-4d6e-8a3c-2f5f7a9c1d42", "client_secret": "s-17.secret_value~", "client_id_issued_at":
    1_780_000_000, "redirect_uris": ["app://wave"], "grant_types": ["client_credentials"], "scopes": ["api:client:v2"],
}
CREDENTIALS_READ = CREDENTIALS | {"client_id_issued_at": 1_780_000_000_000}
TOKEN = {
    "id": "t-17", "access_token": "aaa.bbb.ccc", "created_at": b.START, "expires_in": 21_600, "token_type": "bearer",
}
TOKEN_READ = TOKEN | {"expires": b.START + 21_600_000}
ERRORS = [
    "invalid_request", "invalid_redirect_uri", "invalid_software_statement", "unapproved_software_statement",
    "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_grant", "invalid_scope", "slow_down",
]


def add(suite):
    add_credentials(suite)
    add_tokens(suite)
    add_errors(suite)


def add_credentials(suite):
    kind = "credentials"

    def accept(comment, changes, expected=None, flags="Registration", faults=()):
        read = b.changed(CREDENTIALS_READ, changes if expected is None else expected)
        suite.accept(kind, comment, flags, b.changed(CREDENTIALS, changes), read, faults)

    def refuse(comment, changes, code, path, flags="Registration WrongType"):
        suite.refuse(kind, comment, flags, b.changed(CREDENTIALS, changes), code, path)

    accept("with everything", {})
    accept("as a string of digits", {"client_id_issued_at": "1780000000"}, {}, "Registration Timestamp")
    accept("scopes with commas", {"scopes": "a,b"}, {"scopes": ["a", "b"]}, "Registration Spelling")
    accept("scopes with spaces", {"scopes": "a b"}, {"scopes": ["a", "b"]}, "Registration Spelling")
    accept("several of each", {"redirect_uris": ["a:b", "c:d"], "grant_types": ["x", "y"], "scopes": ["s", "t"]})
    empty = {"redirect_uris": [], "grant_types": [], "scopes": []}
    accept("nothing but the pair", dict.fromkeys(empty, ...) | {"client_id_issued_at": ...},
           empty | {"client_id_issued_at": ...}, "Registration MissingMember")
    accept("nulls", dict.fromkeys(empty) | {"client_id_issued_at": None}, empty | {"client_id_issued_at": ...},
           "Registration MissingMember")
    accept("unknown members", {"error": None, "client_name": "Wave"}, b.other(error=None, client_name="Wave"),
           "Registration UnknownMember")
    for name in ("client_id", "client_secret"):
        refuse(f"without {name}", {name: ...}, "missing_member", f"/{name}", "Registration MissingMember")
        for comment, value in {"empty": "", "a number": 17, "an object": {}}.items():
            refuse(f"{name}: {comment}", {name: value}, "wrong_type", f"/{name}")
    refuse("issued: words", {"client_id_issued_at": "now"}, "bad_timestamp", "/client_id_issued_at",
           "Registration Timestamp")
    refuse("issued: true", {"client_id_issued_at": True}, "wrong_type", "/client_id_issued_at")
    for name in ("redirect_uris", "grant_types"):
        refuse(f"{name}: a text", {name: "a"}, "wrong_type", f"/{name}")
        accept(f"{name}: a number and null inside", {name: ["a", 7, None, "b"]}, {name: ["a", "b"]},
               "Registration Neighbours", [("wrong_type", f"/{name}/1"), ("wrong_type", f"/{name}/2")])
    accept("issued in milliseconds, and a number inside", {"client_id_issued_at": b.START, "grant_types": [7]},
           {"client_id_issued_at": b.START * 1000, "grant_types": []}, "Registration Timestamp Neighbours",
           [("bad_timestamp", "/client_id_issued_at"), ("wrong_type", "/grant_types/0")])
    refuse("scopes: a number", {"scopes": 7}, "wrong_type", "/scopes")
    refuse("scopes: a number inside", {"scopes": ["a", 7]}, "wrong_type", "/scopes")


def add_tokens(suite):
    kind = "access-token"

    def accept(comment, changes, expected=None, flags="Registration", faults=()):
        read = b.changed(TOKEN_READ, changes if expected is None else expected)
        suite.accept(kind, comment, flags, b.changed(TOKEN, changes), read, faults)

    def refuse(comment, changes, code, path, flags="Registration WrongType"):
        suite.refuse(kind, comment, flags, b.changed(TOKEN, changes), code, path)

    accept("with everything", {})
    accept("numbers as texts", {"created_at": str(b.START), "expires_in": "21600"}, {}, "Registration Timestamp")
    accept("a day", {"expires_in": 86_400}, {"expires_in": 86_400, "expires": b.START + 86_400_000})
    accept("no seconds at all", {"expires_in": 0}, {"expires_in": 0, "expires": b.START})
    accept("made in seconds", {"created_at": 1_780_000_000},
           {"created_at": 1_780_000_000, "expires": 1_780_000_000 + 21_600_000}, "Registration Timestamp",
           [("bad_timestamp", "/created_at")])
    accept("without identifier and type", {"id": ..., "token_type": ...}, None, "Registration MissingMember")
    accept("unknown members", {"scope": "a"}, b.other(scope="a"), "Registration UnknownMember")
    for name in ("access_token", "created_at", "expires_in"):
        refuse(f"without {name}", {name: ...}, "missing_member", f"/{name}", "Registration MissingMember")
    refuse("an empty token", {"access_token": ""}, "wrong_type", "/access_token")
    refuse("a token that is a number", {"access_token": 17}, "wrong_type", "/access_token")
    for name in ("created_at", "expires_in"):
        refuse(f"{name}: words", {name: "soon"}, "bad_timestamp", f"/{name}", "Registration Timestamp")
        refuse(f"{name}: a fraction", {name: 0.5}, "bad_timestamp", f"/{name}", "Registration Timestamp")
        refuse(f"{name}: an object", {name: {}}, "wrong_type", f"/{name}")
    refuse("a life before it began", {"expires_in": -1}, "bad_timestamp", "/expires_in", "Registration Timestamp")
    refuse("a life of 2^63 milliseconds", {"expires_in": 2**63 // 1000 + 1}, "bad_timestamp", "/expires_in",
           "Registration Timestamp")


def add_errors(suite):
    kind = "registration-error"

    def both(comment, body, flags="Registration"):
        suite.accept(kind, comment, flags, body, body)

    for code in ERRORS:
        both(code, {"error": code})
    words = {"error_description": "a\nb", "error_uri": "https://example.org"}
    both("with words and a page", {"error": "invalid_client"} | words)
    suite.accept(kind, "unknown members", "Registration UnknownMember", {"error": "invalid_request", "status": 400},
                 {"error": "invalid_request"} | b.other(status=400))
    suite.accept(kind, "nulls", "Registration MissingMember", {"error": "a", "error_description": None}, {"error": "a"})
    suite.refuse(kind, "the other error object", "Registration MissingMember", {"status": 400, "code": "x"},
                 "missing_member", "/error")
    for comment, value in {"empty": "", "a number": 400, "an object": {"code": "x"}}.items():
        suite.refuse(kind, f"error: {comment}", "Registration WrongType", {"error": value}, "wrong_type", "/error")
