"""Decisions of REST v2, and the media tokens in them."""

from . import builder as b
from .errors import CODES, error

KIND = "decisions"

FROM, UNTIL = b.ISSUED - 3_600_000, b.ISSUED + 8 * 3_600_000


def decision(**changes):
    members = {
        "resource": "TestChannel",
        "serviceProvider": "REF30",
        "mvpd": "TestMVPD",
        "source": "mvpd",
        "authorized": True,
        "token": token(),
        "notBefore": FROM,
        "notAfter": UNTIL,
    } | changes
    return {name: value for name, value in members.items() if value is not ...}


def token(**changes):
    members = {"notBefore": b.ISSUED, "notAfter": b.EXPIRES, "serializedToken": b.TOKEN} | changes
    return {name: value for name, value in members.items() if value is not ...}


def denied(**changes):
    return decision(**({"authorized": False, "token": ..., "notBefore": ..., "notAfter": ...} | changes))


def expected(verdict="valid", cross=(), **changes):
    """`changes` as in `decision`; the token with its verdict, and with the differences if the token is good."""
    members = decision(**changes)
    if isinstance(members.get("token"), dict):
        found = dict(members["token"]) | {"verdict": verdict}
        if verdict == "valid":
            found["crossCheck"] = list(cross)
        members["token"] = found
    return members


def body(*decisions, **more):
    return {"decisions": list(decisions), **more}


def found(*decisions, **more):
    return {"decisions": list(decisions), **more}


def add(suite):
    add_shapes(suite)
    add_errors(suite)
    add_tokens(suite)
    add_cross_checks(suite)
    add_faults(suite)


def accept(suite, comment, flags, *decisions, wanted=None, **more):
    wanted = wanted or [expected(**changes_of(one)) for one in decisions]
    suite.accept(KIND, comment, f"Decision {flags}".strip(), body(*decisions, **more), found(*wanted))


def changes_of(one):
    return {name: one.get(name, ...) for name in {*decision(), *one}}


def add_shapes(suite):
    accept(suite, "one, authorized", "", decision())
    accept(suite, "none", "")
    accept(suite, "one, not authorized", "", denied(error=error("authorization_denied_by_mvpd", 403, "none")))
    accept(suite, "not authorized, without a reason", "", denied())
    accept(suite, "preauthorized: no token", "", decision(token=...))
    mixed = [
        decision(token=...),
        denied(resource="Other", error=error("preauthorization_denied_by_mvpd", 403, "none")),
        denied(resource="Third"),
    ]
    accept(suite, "three, one of them authorized", "", *mixed)
    twins = [decision(), decision(resource="TestChannel", mvpd="TestMVPD", source="temppass")]
    accept(suite, "two for one resource: both are kept, in their order", "", *twins)
    for source in ("degradation", "temppass", "dummy"):
        accept(suite, f"source {source}", "", decision(source=source))
    for source in ("oracle", "MVPD", ""):
        accept(suite, f"a source nobody knows: {source!r}", "UnknownMember", decision(source=source))
    accept(suite, "not authorized, and yet a token", "Reading", decision(authorized=False))
    accept(
        suite, "authorized, and yet an error", "Reading", decision(error=error("internal_server_error", 500, "none"))
    )
    for resource in (
        "Té\u0301st",
        "a/b~c",
        "日本",
        '<rss version="2.0"><channel><title>T&amp;C</title></channel></rss>',
    ):
        accept(suite, f"resource {resource!r}", "Unicode", denied(resource=resource))
    number = {"as strings": str, "as numbers": int}
    for comment, written in number.items():
        one = decision(
            notBefore=written(FROM),
            notAfter=written(UNTIL),
            token=token(notBefore=written(b.ISSUED), notAfter=written(b.EXPIRES), issuedAt=written(b.ISSUED)),
        )
        wanted = [expected(token=token(issuedAt=b.ISSUED))]
        accept(suite, f"all times {comment}, issuedAt among them", "Timestamp Token", one, wanted=wanted)
    more = {"trace": "t-17", "nested": {"a": [1, 2.5]}}
    suite.accept(
        KIND,
        "unknown members at the top",
        "Decision UnknownMember",
        body(decision(), **more),
        found(expected(), other=b.other(**more)),
    )
    suite.accept(
        KIND,
        "unknown members in a decision",
        "Decision UnknownMember",
        body(decision(**more)),
        found(expected() | {"other": b.other(**more)}),
    )
    wanted = expected()
    wanted["token"] |= {"other": b.other(**more)}
    suite.accept(
        KIND,
        "unknown members in a token",
        "Decision UnknownMember Token",
        body(decision(token=token(**more))),
        found(wanted),
    )
    unknown = denied(error=error("a_new_code", 418, "dance", hint="left", **{"retry-after": 5}))
    wanted = denied(error=error("a_new_code", 418, "dance") | {"other": b.other(hint="left", **{"retry-after": 5})})
    suite.accept(
        KIND,
        "an error nobody knows, with members nobody knows",
        "Decision ErrorBody UnknownMember",
        body(unknown),
        found(wanted),
    )


def add_errors(suite):
    for (action, status), codes in CODES.items():
        all_of_them = [
            denied(resource=f"r{index}", error=error(code, status, action)) for index, code in enumerate(codes)
        ]
        accept(suite, f"every code of action {action}, status {status}", "ErrorBody", *all_of_them)
    full = error(
        "authorization_denied_by_parental_controls",
        403,
        "none",
        details="R rated",
        helpUrl="https://example.com/h",
        trace="t-17",
    )
    accept(suite, "an error with details, help and trace", "ErrorBody", denied(error=full))
    one = denied(error=error("network_received_error", "403", "retry"))
    wanted = denied(error=error("network_received_error", 403, "retry"))
    accept(suite, "an error whose status is a string", "ErrorBody", one, wanted=[wanted])
    accept(
        suite,
        "temppass_expired with status 200, as older answers have it",
        "ErrorBody UnknownMember",
        denied(error=error("temppass_expired", 200, "none")),
    )


def add_tokens(suite):
    def one(comment, text, verdict, flags="Token"):
        accept(
            suite,
            comment,
            flags,
            decision(token=token(serializedToken=text)),
            wanted=[expected(verdict, token=token(serializedToken=text))],
        )

    one("token under another key", b.token("other-2048"), "bad_signature")
    changed = b.token_builder.token(b.token_builder.body(), signature=bytes(255) + b"\x01")
    one("token with another signature", b.token_builder.standard(changed).decode(), "bad_signature")
    one("token with a changed resource", b.changed_token("TestChannel", "OtherChannel"), "bad_signature")
    one("token cut short", b.TOKEN[:200], "malformed")
    one("token is no token", "AAAA", "malformed")
    one("token is a JSON Web Token", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA", "foreign_token")
    one("token expired long ago", b.token(issueTime="2025-01-15 09:30:00 -0800"), "expired")
    one("token issued in the future", b.token(issueTime="2026-02-15 09:30:00 -0800"), "not_yet_valid")
    plain = b.token_builder.token(b.token_builder.body()).decode()
    one("token in plain text, not Base64", plain, "valid")


def add_cross_checks(suite):
    def one(comment, cross, flags="CrossCheck Token", **changes):
        accept(suite, comment, flags, decision(**changes), wanted=[expected("valid", cross, **changes)])

    one("token of another resource", ["resource"], token=token(serializedToken=b.token(resourceID="OtherChannel")))
    one("decision about another resource", ["resource"], resource="OtherChannel")
    one("resources differ in case", ["resource"], resource="testchannel")
    one("resources differ in a space", ["resource"], resource="TestChannel ")
    accented = b.token(resourceID="Kabel\u00e9")
    one(
        "resources differ in composition only",
        ["resource"],
        resource="Kabele\u0301",
        token=token(serializedToken=accented),
    )
    one("resources with an accent, the same octets", [], resource="Kabel\u00e9", token=token(serializedToken=accented))
    mrss = '<rss version="2.0"><channel><title>T &amp; C</title></channel></rss>'
    text = b.token(resourceID=f"<![CDATA[{mrss}]]>")
    one("an MRSS resource, in CDATA in the token", [], resource=mrss, token=token(serializedToken=text))
    one("token of another provider", ["mvpd"], token=token(serializedToken=b.token(mvpdId="OtherMVPD")))
    one("providers differ in case", ["mvpd"], mvpd="testmvpd")
    one("token of another requestor", ["requestor"], token=token(serializedToken=b.token(requestorID="REF31")))
    one(
        "everything differs but the times",
        ["requestor", "resource", "mvpd"],
        token=token(serializedToken=b.token(requestorID="REF31", resourceID="OtherChannel", mvpdId="OtherMVPD")),
    )
    hour = 3_600_000
    one("the decision's token ends an hour late", ["end"], token=token(notAfter=b.EXPIRES + hour))
    one("the decision's token ends an hour early", ["end"], token=token(notAfter=b.EXPIRES - hour))
    one("the decision's token begins an hour early", ["start"], token=token(notBefore=b.ISSUED - hour))
    one(
        "the decision's token lies a day off",
        ["start", "end"],
        token=token(notBefore=b.ISSUED - 24 * hour, notAfter=b.EXPIRES - 24 * hour),
    )
    one(
        "milliseconds that the token does not have", [], token=token(notBefore=b.ISSUED + 999, notAfter=b.EXPIRES + 999)
    )
    one(
        "the token outlives the decision: each has its own times",
        [],
        "CrossCheck Token Reading",
        notBefore=b.ISSUED - hour,
        notAfter=b.ISSUED + 120_000,
    )


def add_faults(suite):
    def refuse(comment, written, code, path, flags="WrongType"):
        suite.refuse(KIND, comment, f"Decision {flags}", written, code, path)

    refuse("no member called decisions", {}, "missing_member", "/decisions", "MissingMember")
    refuse("profiles instead", {"profiles": {}}, "missing_member", "/decisions", "MissingMember")
    for comment, value in {"an object": {}, "a text": "x", "true": True}.items():
        refuse(f"decisions: {comment}", {"decisions": value}, "wrong_type", "/decisions")
    for comment, value in {"null": None, "a text": "x", "an array": []}.items():
        refuse(f"the second decision: {comment}", body(decision(), value), "wrong_type", "/decisions/1")
    for member in ("resource", "authorized"):
        refuse(
            f"{member} is missing",
            body(decision(**{member: ...})),
            "missing_member",
            f"/decisions/0/{member}",
            "MissingMember",
        )
        refuse(f"{member}: a number", body(decision(**{member: 1})), "wrong_type", f"/decisions/0/{member}")
    for comment, value in {"true as text": "true", "an array": [True], "0": 0}.items():
        refuse(f"authorized: {comment}", body(decision(authorized=value)), "wrong_type", "/decisions/0/authorized")
    refuse(
        "authorized: null",
        body(decision(authorized=None)),
        "missing_member",
        "/decisions/0/authorized",
        "MissingMember Reading",
    )
    for member in ("serviceProvider", "mvpd", "source"):
        refuse(f"{member}: a number", body(decision(**{member: 17})), "wrong_type", f"/decisions/0/{member}")
        suite.either(
            KIND,
            f"{member} is missing",
            "Decision MissingMember",
            body(denied(**{member: ...})),
            found(denied(**{member: ...})),
            "missing_member",
            f"/decisions/0/{member}",
        )
    refuse("token: a text", body(decision(token=b.TOKEN)), "wrong_type", "/decisions/0/token")
    refuse(
        "serializedToken is missing",
        body(decision(token=token(serializedToken=...))),
        "missing_member",
        "/decisions/0/token/serializedToken",
        "MissingMember Token",
    )
    refuse(
        "serializedToken: a number",
        body(decision(token=token(serializedToken=17))),
        "wrong_type",
        "/decisions/0/token/serializedToken",
        "WrongType Token",
    )
    empty = token(serializedToken="")
    suite.either(
        KIND,
        "serializedToken is empty",
        "Decision Token",
        body(decision(token=empty)),
        found(expected("malformed", token=empty)),
        "wrong_type",
        "/decisions/0/token/serializedToken",
    )
    refuse(
        "notAfter of a token: a date",
        body(decision(token=token(notAfter="tomorrow"))),
        "bad_timestamp",
        "/decisions/0/token/notAfter",
        "Timestamp Token",
    )
    refuse(
        "notBefore of a decision: a fraction",
        body(decision(notBefore=1.5)),
        "bad_timestamp",
        "/decisions/0/notBefore",
        "Timestamp",
    )
    refuse(
        "issuedAt: 2^63",
        body(decision(token=token(issuedAt=2**63))),
        "bad_timestamp",
        "/decisions/0/token/issuedAt",
        "Timestamp Token",
    )
    refuse("error: a text", body(denied(error="denied")), "wrong_type", "/decisions/0/error", "WrongType ErrorBody")
    for comment, value in {"null": None, "not there": ...}.items():
        accept(
            suite,
            f"token {comment}",
            "MissingMember",
            decision(token=value, source="mvpd", notAfter=UNTIL + 1),
            wanted=(
                [decision(token=..., notAfter=UNTIL + 1)]
                if value is None
                else [decision(token=..., notAfter=UNTIL + 1)]
            ),
        )
    accept(suite, "error null", "MissingMember", denied(error=None), wanted=[denied()])
    faulty = '{"decisions":[' + b.compact(denied()) + " " + b.compact(denied(resource="Other")) + "]}"
    refuse("no comma between two decisions", faulty, "not_json", "", "NotJson")
