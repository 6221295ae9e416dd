"""Other bodies of REST v1: media token, authentication, authorization, registration code."""

from . import builder as b


def add(suite):
    add_media_token(suite)
    add_token_bodies(suite)
    add_registration_code(suite)


# --- Media token ------------------------------------------------------------------------------------------------


def media(**changes):
    members = {
        "resource": "TestChannel",
        "requestor": "REF30",
        "expires": str(b.EXPIRES),
        "serializedToken": b.TOKEN,
        "userId": "TestUser-17",
        "mvpdId": "TestMVPD",
    } | changes
    return {name: value for name, value in members.items() if value is not ...}


def media_found(verdict="valid", cross=(), **changes):
    wanted = media(**({"expires": b.EXPIRES} | changes)) | {"verdict": verdict}
    return wanted | {"crossCheck": list(cross)} if verdict == "valid" else wanted


def add_media_token(suite):
    def accept(comment, flags, verdict="valid", cross=(), wanted=None, **changes):
        wanted = media_found(verdict, cross, **(changes if wanted is None else wanted))
        suite.accept("mediatoken", comment, f"MediaTokenBody {flags}", media(**changes), wanted)

    def refuse(comment, body, code, path, flags="WrongType"):
        suite.refuse("mediatoken", comment, f"MediaTokenBody {flags}", body, code, path)

    accept("as documented", "Token")
    accept("expires as a number", "Timestamp", expires=b.EXPIRES)
    accept(
        "expires in seconds: taken as stated",
        "Timestamp CrossCheck",
        cross=["end"],
        wanted={"expires": 1_768_498_620},
        expires="1768498620",
    )
    accept(
        "a member that nobody knows", "UnknownMember", wanted={"proxyMvpdId": ..., "other": b.other(extra=1)}, extra=1
    )
    for name in ("userId", "mvpdId"):
        body = media(**{name: ...})
        suite.either(
            "mediatoken",
            f"{name} is missing",
            "MediaTokenBody MissingMember",
            body,
            media_found(**{name: ...}),
            "missing_member",
            f"/{name}",
        )
    accept("another resource", "CrossCheck Token", cross=["resource"], resource="OtherChannel")
    accept("another requestor", "CrossCheck Token", cross=["requestor"], requestor="REF31")
    accept("another provider", "CrossCheck Token", cross=["mvpd"], mvpdId="OtherMVPD")
    accept(
        "ends an hour late",
        "CrossCheck Token",
        cross=["end"],
        wanted={"expires": b.EXPIRES + 3_600_000},
        expires=str(b.EXPIRES + 3_600_000),
    )
    accept("token under another key", "Token", "bad_signature", serializedToken=b.token("other-2048"))
    accept("token expired", "Token", "expired", serializedToken=b.token(issueTime="2025-01-15 09:30:00 -0800"))
    accept("token cut short", "Token", "malformed", serializedToken=b.TOKEN[:-9])
    wrapped = "\n".join(b.TOKEN[start : start + 76] for start in range(0, len(b.TOKEN), 76)) + "\n"
    accept("token wrapped at 76", "Token", serializedToken=wrapped)
    for name in ("resource", "requestor", "serializedToken", "expires"):
        refuse(f"{name} is missing", media(**{name: ...}), "missing_member", f"/{name}", "MissingMember")
    for name in ("resource", "requestor", "serializedToken", "userId", "mvpdId"):
        refuse(f"{name}: a number", media(**{name: 17}), "wrong_type", f"/{name}")
    for comment, value in {"a date": "2026-01-15", "empty": "", "a fraction": "1.5", "2^63": str(2**63)}.items():
        refuse(f"expires: {comment}", media(expires=value), "bad_timestamp", "/expires", "Timestamp")
    refuse("expires: true", media(expires=True), "wrong_type", "/expires", "WrongType Timestamp")


# --- Authentication and authorization -----------------------------------------------------------------------------


def add_token_bodies(suite):
    authentication = {"requestor": "REF30", "mvpd": "TestMVPD", "userId": "TestUser-17", "expires": str(b.END)}
    authorization = {
        "mvpd": "TestMVPD",
        "resource": "TestChannel",
        "requestor": "REF30",
        "expires": str(b.END),
        "proxyMvpd": "TestProxy",
    }
    for kind, body in (("authentication", authentication), ("authorization", authorization)):

        def accept(comment, flags, changed, wanted):
            suite.accept(kind, comment, f"TokenBody {flags}".strip(), changed, wanted)

        wanted = body | {"expires": b.END}
        accept("as documented", "", body, wanted)
        accept("expires as a number", "Timestamp", body | {"expires": b.END}, wanted)
        accept(
            "expires in seconds: taken as stated",
            "Timestamp",
            body | {"expires": "1771090200"},
            wanted | {"expires": 1_771_090_200},
        )
        accept(
            "a member that nobody knows", "UnknownMember", body | {"level": [1]}, wanted | {"other": b.other(level=[1])}
        )
        for name in ("requestor", "mvpd", "expires", "resource"):
            if name in body:
                without = {member: value for member, value in body.items() if member != name}
                suite.refuse(
                    kind, f"{name} is missing", "TokenBody MissingMember", without, "missing_member", f"/{name}"
                )
                suite.refuse(
                    kind, f"{name}: an array", "TokenBody WrongType", body | {name: ["x"]}, "wrong_type", f"/{name}"
                )
        for comment, value in {"a date": "2026/01/15 17:30:00 GMT -0800", "a fraction": 1.5, "a sign": "+1"}.items():
            suite.refuse(
                kind,
                f"expires: {comment}",
                "TokenBody Timestamp",
                body | {"expires": value},
                "bad_timestamp",
                "/expires",
            )
    without = {name: value for name, value in authentication.items() if name != "userId"}
    suite.either(
        "authentication",
        "userId is missing",
        "TokenBody MissingMember",
        without,
        without | {"expires": b.END},
        "missing_member",
        "/userId",
    )
    without = {name: value for name, value in authorization.items() if name != "proxyMvpd"}
    wanted = without | {"expires": b.END}
    suite.accept("authorization", "no proxy", "TokenBody MissingMember", without, wanted)
    suite.accept("authorization", "the proxy is null", "TokenBody MissingMember", without | {"proxyMvpd": None}, wanted)
    suite.accept(
        "authorization",
        "the proxy is empty: none",
        "TokenBody MissingMember Reading",
        without | {"proxyMvpd": ""},
        wanted,
    )
    suite.refuse(
        "authorization",
        "the proxy is a number",
        "TokenBody WrongType",
        without | {"proxyMvpd": 1},
        "wrong_type",
        "/proxyMvpd",
    )


# --- Registration code ------------------------------------------------------------------------------------------------


def add_registration_code(suite):
    info = {
        "deviceId": "dGVzdA==",
        "deviceType": "TestBox",
        "deviceUser": "u",
        "appId": "a",
        "appVersion": "1",
        "registrationURL": "https://example.com",
    }
    body = {
        "id": "r-17",
        "code": "TEST42X",
        "requestor": "REF30",
        "generated": b.ISSUED,
        "expires": b.ISSUED + 1_800_000,
        "info": info,
    }
    wanted = body | {"info": {name: b.compact(value) for name, value in info.items()}}
    flags = "RegistrationCode"

    def accept(comment, more, changed, found):
        suite.accept("registration-code", comment, f"{flags} {more}".strip(), changed, found)

    def refuse(comment, more, changed, code, path):
        suite.refuse("registration-code", comment, f"{flags} {more}", changed, code, path)

    accept("as documented", "", body, wanted)
    accept(
        "times as strings",
        "Timestamp",
        body | {"generated": str(b.ISSUED), "expires": str(b.ISSUED + 1_800_000)},
        wanted,
    )
    accept("a member that nobody knows", "UnknownMember", body | {"mvpd": "x"}, wanted | {"other": b.other(mvpd="x")})
    accept(
        "no information about the device",
        "MissingMember",
        {k: v for k, v in body.items() if k != "info"},
        {k: v for k, v in wanted.items() if k != "info"},
    )
    for name in ("code", "requestor", "expires"):
        refuse(
            f"{name} is missing",
            "MissingMember",
            {k: v for k, v in body.items() if k != name},
            "missing_member",
            f"/{name}",
        )
    refuse("expires: a date", "Timestamp", body | {"expires": "2026-01-15"}, "bad_timestamp", "/expires")
    refuse("code: a number", "WrongType", body | {"code": 42}, "wrong_type", "/code")
