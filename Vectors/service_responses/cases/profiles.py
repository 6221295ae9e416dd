"""Profiles of REST v2."""

import json

from . import builder as b

KIND = "profiles"

ZIP = b.encrypted("77754")


def profile(attributes=None, **changes):
    members = {
        "notBefore": b.START,
        "notAfter": b.END,
        "issuer": "TestMVPD",
        "type": "regular",
        "attributes": {"userID": {"value": "TestUser-17", "state": "plain"}} if attributes is None else attributes,
    } | changes
    return {name: value for name, value in members.items() if value is not ...}


USER = b.plain("userID", "TestUser-17", "text", "TestUser-17")


def expected(attributes=None, **changes):
    members = {
        "mvpd": "TestMVPD",
        "notBefore": b.START,
        "notAfter": b.END,
        "issuer": "TestMVPD",
        "type": "regular",
        "attributes": [USER] if attributes is None else attributes,
    } | changes
    return {name: value for name, value in members.items() if value is not ...}


def body(*profiles, **more):
    named = dict(profiles) if profiles else {"TestMVPD": profile()}
    return {"profiles": named, **more}


def one(attributes=None, **changes):
    return body(("TestMVPD", profile(attributes, **changes)))


def found(*profiles, **more):
    """In the order of the body."""
    return {"profiles": list(profiles), **more}


def add(suite):
    add_shapes(suite)
    add_faults(suite)
    add_unknown(suite)


def add_shapes(suite):
    suite.accept(KIND, "one profile", "Profile", body(), found(expected()))
    suite.accept(KIND, "no profile", "Profile", {"profiles": {}}, found())
    several = [("TestMVPD", profile()), ("OtherMVPD", profile(issuer="OtherMVPD")), ("third", profile(issuer="third"))]
    wanted = [expected(mvpd=name, issuer=name) for name, _ in several]
    suite.accept(KIND, "three providers", "Profile", body(*several), found(*wanted))
    for kind, issuer in {"appleSSO": "Apple", "platformSSO": "TestMVPD", "serviceTokenSSO": "TestMVPD"}.items():
        suite.accept(
            KIND, f"type {kind}", "Profile", one(type=kind, issuer=issuer), found(expected(type=kind, issuer=issuer))
        )
    for kind in ("temporary", "degraded", "Regular", ""):
        suite.accept(
            KIND, f"a type nobody knows: {kind!r}", "Profile UnknownMember", one(type=kind), found(expected(type=kind))
        )
    suite.accept(
        KIND, "an issuer nobody knows", "Profile", one(issuer="Elsewhere"), found(expected(issuer="Elsewhere"))
    )
    suite.accept(KIND, "no attributes in it", "Profile", one({}), found(expected([])))
    names = ["Test MVPD", "Test/MVPD", "Test~MVPD", "Test.MVPD", "テスト", "", "profiles", "__proto__"]
    for name in names:
        suite.accept(KIND, f"provider {name!r}", "Profile Unicode", body((name, profile())), found(expected(mvpd=name)))
    both = [("Kabel\u00e9", profile()), ("Kabele\u0301", profile())]
    wanted = [expected(mvpd=name) for name, _ in both]
    suite.accept(KIND, "composed and decomposed é are two providers", "Profile Unicode", body(*both), found(*wanted))
    text = json.dumps(body(), indent=2).replace("\n", "\r\n")
    suite.accept(KIND, "on several lines, CR LF", "Profile", f"\t{text}\r\n", found(expected()))
    text = b.compact(body()).replace("TestMVPD", "\\u0054est\\u004dVPD").replace("/", "\\/")
    suite.accept(KIND, "escapes in names and texts", "Profile", text, found(expected()))
    emoji = one({"userID": {"value": "😀", "state": "plain"}})
    text = json.dumps(emoji)
    wanted = found(expected([b.plain("userID", "😀", "text", "😀")]))
    suite.accept(KIND, "a surrogate pair as two escapes", "Profile Unicode", text, wanted)
    suite.accept(KIND, "the same character as UTF-8", "Profile Unicode", emoji, wanted)


def add_faults(suite):
    def refuse(comment, body, code, path, flags="WrongType"):
        suite.refuse(KIND, comment, f"Profile {flags}", body, code, path)

    refuse("no member called profiles", {}, "missing_member", "/profiles", "MissingMember")
    refuse("profiles in another case", {"Profiles": {}}, "missing_member", "/profiles", "MissingMember")
    refuse("decisions instead", {"decisions": []}, "missing_member", "/profiles", "MissingMember")
    for comment, value in {"an array": [], "a text": "x", "a number": 1, "true": True}.items():
        refuse(f"profiles: {comment}", {"profiles": value}, "wrong_type", "/profiles")
        refuse(f"a profile: {comment}", body(("TestMVPD", value)), "wrong_type", "/profiles/TestMVPD")
        refuse(
            f"attributes: {comment}",
            one(attributes=value) if value else body(("TestMVPD", profile() | {"attributes": value})),
            "wrong_type",
            "/profiles/TestMVPD/attributes",
        )
    suite.either(
        KIND, "profiles: null", "Profile MissingMember", {"profiles": None}, found(), "wrong_type", "/profiles"
    )
    suite.either(
        KIND,
        "attributes: not there",
        "Profile MissingMember",
        body(("TestMVPD", {k: v for k, v in profile().items() if k != "attributes"})),
        found(expected([])),
        "missing_member",
        "/profiles/TestMVPD/attributes",
    )
    for member in ("issuer", "type"):
        refuse(f"{member}: a number", one(**{member: 17}), "wrong_type", f"/profiles/TestMVPD/{member}")
        refuse(f"{member}: an array", one(**{member: ["regular"]}), "wrong_type", f"/profiles/TestMVPD/{member}")
        suite.either(
            KIND,
            f"{member}: not there",
            "Profile MissingMember",
            one(**{member: ...}),
            found(expected(**{member: ...})),
            "missing_member",
            f"/profiles/TestMVPD/{member}",
        )
    wanted = found(expected([{"name": "zip", "error": "bad_attribute"}, USER]))
    for comment, value in {"a text": "77754", "an array": ["77754"], "null": None}.items():
        attributes = {"zip": value, "userID": {"value": "TestUser-17", "state": "plain"}}
        suite.accept(
            KIND, f"an attribute that is no object but {comment}", "Profile WrongType Reading", one(attributes), wanted
        )
    attributes = {"zip": {"state": "plain"}, "userID": {"value": "TestUser-17", "state": "plain"}}
    suite.accept(KIND, "an attribute without value", "Profile MissingMember Reading", one(attributes), wanted)
    path = "/profiles/Test~1M~0VPD/notAfter"
    refuse(
        "a path with / and ~ in a name",
        body(("Test/M~VPD", profile(notAfter="never"))),
        "bad_timestamp",
        path,
        "Timestamp",
    )


def add_unknown(suite):
    more = {"requestId": "r-17", "count": 1.50, "flags": [True, None], "nested": {"a": {"b": []}}}
    suite.accept(
        KIND,
        "unknown members at the top",
        "Profile UnknownMember",
        body(**more),
        found(expected(), other=b.other(**more)),
    )
    suite.accept(
        KIND,
        "unknown members in a profile",
        "Profile UnknownMember",
        one(**more),
        found(expected(other=b.other(**more))),
    )
    attributes = {"userID": {"value": "TestUser-17", "state": "plain", "since": 17}}
    suite.accept(
        KIND,
        "an unknown member in an attribute",
        "Profile UnknownMember",
        one(attributes),
        found(expected([USER | {"other": b.other(since=17)}])),
    )
    kept = '{"profiles":{},"big":123456789012345678901234567890,"small":1.10e-7,"spaced":[ 1 , 2 ]}'
    wanted = {"big": "123456789012345678901234567890", "small": "1.10e-7", "spaced": "[ 1 , 2 ]"}
    suite.accept(
        KIND, "unknown members keep their digits and spaces", "Profile UnknownMember", kept, found(other=wanted)
    )
    mixed = {
        "userID": {"value": "TestUser-17", "state": "plain"},
        "zip": {"value": ZIP, "state": "enc"},
        "mvpd": {"value": "TestMVPD", "state": "plain"},
        "maxRating": {"value": {"VCHIP": "TV-14"}, "state": "plain"},
        "hba_status": {"value": "true", "state": "plain"},
        "favouriteColour": {"value": ["blue"], "state": "plain"},
    }
    wanted = [
        USER,
        b.secret("zip", ZIP, "77754", "list", ["77754"]),
        b.plain("mvpd", "TestMVPD", "text", "TestMVPD"),
        b.plain("maxRating", {"VCHIP": "TV-14"}, "object", {"VCHIP": "TV-14"}),
        b.plain("hba_status", "true", "boolean", True),
        b.plain("favouriteColour", ["blue"], "list", ["blue"]),
    ]
    suite.accept(KIND, "everything together", "Profile Encrypted AttributeType", one(mixed), found(expected(wanted)))
