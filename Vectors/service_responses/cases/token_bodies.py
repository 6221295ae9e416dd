"""Other bodies of REST v1: authentication and authorization."""

from . import builder as b


def add(suite):
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
