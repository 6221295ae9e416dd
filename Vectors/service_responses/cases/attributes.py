"""Attributes of a profile: their types, how they say that they are encrypted, and what they decrypt to."""

import json

from . import builder as b
from .profiles import KIND, USER, ZIP, expected, found, one, profile

ZIPS = b.encrypted('["77754","10001"]')


def add(suite):
    add_attribute_types(suite)
    add_states(suite)
    add_encrypted(suite)


def add_attribute_types(suite):
    def accept(name, comment, value, kind, typed=None, raw=None, flags="AttributeType"):
        attributes = {name: {"value": value, "state": "plain"}}
        wanted = found(expected([b.plain(name, value, kind, typed, raw)]))
        suite.accept(KIND, f"{name}: {comment}", f"Profile {flags}", one(attributes), wanted)

    accept("zip", "an array", ["77754", "10001"], "list", ["77754", "10001"])
    accept("zip", "an array of one", ["77754"], "list", ["77754"])
    accept("zip", "an empty array", [], "list", [])
    accept("zip", "a bare text", "77754", "list", ["77754"])
    accept("zip", "a bare text with a hyphen", "77754-1234", "list", ["77754-1234"])
    accept("channelID", "an array", ["TNT", "TBS"], "list", ["TNT", "TBS"])
    accept("channelID", "a bare text", "TNT", "list", ["TNT"])
    rating = {"MPAA": "PG-13", "VCHIP": "TV-14", "URL": "http://example.com/max"}
    accept("maxRating", "an object", rating, "object", rating)
    accept(
        "maxRating",
        "an object with members nobody knows",
        {"MPAA": "R", "BBFC": {"age": 15}},
        "object",
        {"MPAA": "R", "BBFC": {"age": 15}},
    )
    accept("maxRating", "an empty object", {}, "object", {})
    for name in ("hba_status", "allowMirroring"):
        accept(name, "true", True, "boolean", True)
        accept(name, "false", False, "boolean", False)
        accept(name, "true as text", "true", "boolean", True)
        accept(name, "false as text", "false", "boolean", False)
        accept(name, "1 as text", "1", "boolean", True)
    for name in (
        "userID",
        "householdID",
        "upstreamUserID",
        "primaryOID",
        "typeID",
        "language",
        "mvpd",
        "onNet",
        "inHome",
    ):
        accept(name, "a text", "TestValue-17", "text", "TestValue-17")
    accept("is_hoh", "1 as text stays text", "1", "text", "1")
    accept("userID", "an empty text", "", "text", "")
    accept("userID", "digits stay text, their zeros too", "00420", "text", "00420")
    accept("userID", "looks like JSON", '["a"]', "text", '["a"]')
    accept("userID", "NUL as an escape", "a\u0000b", "text", "a\u0000b")
    accept("userID", "control characters as escapes", "a\u001b\n\u007fb", "text", "a\u001b\n\u007fb")
    accept("userID", "composed é", "Zo\u00e9", "text", "Zo\u00e9")
    accept("userID", "decomposed é", "Zoe\u0301", "text", "Zoe\u0301")
    odd = "AttributeType WrongType Reading"
    accept("zip", "a number", 77754, "number", flags=odd)
    accept("zip", "an array of numbers", [77754, 10001], "list", ["77754", "10001"], flags=odd)
    accept("zip", "an object", {"zip": "77754"}, "object", {"zip": "77754"}, flags=odd)
    accept("zip", "null", None, "null", flags=odd, raw="null")
    accept("hba_status", "neither true nor false", "maybe", "text", "maybe", flags=odd)
    accept("hba_status", "an array", ["true"], "list", ["true"], flags=odd)
    accept("maxRating", "a text", "TV-14", "text", "TV-14", flags=odd)
    accept("maxRating", "an array", ["TV-14"], "list", ["TV-14"], flags=odd)
    accept("userID", "a number", 17, "number", flags=odd)
    accept("userID", "null", None, "null", flags=odd, raw="null")
    unknown = "AttributeType UnknownMember"
    accept("favouriteColour", "a text", "blue", "text", "blue", flags=unknown)
    accept("favouriteColour", "an array", ["blue", "green"], "list", ["blue", "green"], flags=unknown)
    accept("favouriteColour", "an object", {"first": "blue"}, "object", {"first": "blue"}, flags=unknown)
    accept("favouriteColour", "true", True, "boolean", True, flags=unknown)
    accept("favouriteColour", "true as text stays text", "true", "text", "true", flags=unknown)
    accept("favouriteColour", "a number", 4.50, "number", flags=unknown)
    accept("favouriteColour", "null", None, "null", flags=unknown, raw="null")
    accept("Zip", "another name than zip", "77754", "text", "77754", flags="AttributeType Unicode")
    accept("zip\u200b", "another name than zip", "77754", "text", "77754", flags="AttributeType Unicode")
    digits = '{"profiles":{"TestMVPD":%s}}' % b.compact(profile({"count": {"value": 0, "state": "plain"}})).replace(
        '"value":0', '"value":-12345678901234567890.1250e+2'
    )
    wanted = found(expected([b.plain("count", None, "number", raw="-12345678901234567890.1250e+2")]))
    suite.accept(KIND, "count: a number keeps its digits", "Profile AttributeType UnknownMember", digits, wanted)


def add_states(suite):
    def attribute(state, value=ZIP):
        return one({"zip": {"value": value} | ({} if state is ... else {"state": state})})

    for state in ("enc", "ENC", "Enc", "encrypted", "Encrypted", "ENCRYPTED"):
        wanted = found(expected([b.secret("zip", ZIP, "77754", "list", ["77754"])]))
        suite.accept(KIND, f"state {state}", "Profile State Encrypted", attribute(state), wanted)
    unknown = [
        "unknown",
        "",
        "encoded",
        "crypt",
        "enc ",
        " enc",
        "ｅｎｃ",
        "e\u0146c",
        "plain-text",
        "plaintext",
        "none",
        "PLA\u0130N",
    ]
    for state in unknown:
        wanted = found(expected([{"name": "zip", "error": "unknown_state"}]))
        suite.accept(
            KIND, f"state {state!r}: an error, never plain", "Profile State", attribute(state, "77754"), wanted
        )
    for comment, state in {"not there": ..., "null": None, "true": True, "0": 0, "an array": ["plain"]}.items():
        wanted = found(expected([{"name": "zip", "error": "unknown_state"}]))
        suite.accept(
            KIND, f"state {comment}: an error, never plain", "Profile State Reading", attribute(state, "77754"), wanted
        )
    wanted = found(expected([USER, {"name": "zip", "error": "unknown_state"}, b.plain("language", "en", "text", "en")]))
    attributes = {
        "userID": {"value": "TestUser-17", "state": "plain"},
        "zip": {"value": "77754", "state": "sealed"},
        "language": {"value": "en", "state": "plain"},
    }
    suite.accept(KIND, "an unknown state does not lose the other attributes", "Profile State", one(attributes), wanted)
    for state in ("PLAIN", "Plain"):
        wanted = found(expected([b.plain("zip", "77754", "list", ["77754"])]))
        suite.accept(KIND, f"state {state}", "Profile State Reading", attribute(state, "77754"), wanted)


def add_encrypted(suite):
    def accept(comment, attributes, wanted, flags="Encrypted"):
        written = {name: {"value": value, "state": "enc"} for name, value in attributes.items()}
        suite.accept(KIND, comment, f"Profile {flags}", one(written), found(expected(wanted)))

    accept(
        "an array inside the encrypted value",
        {"zip": ZIPS},
        [b.secret("zip", ZIPS, '["77754","10001"]', "list", ["77754", "10001"])],
    )
    old = b.encrypted("10001", "other-2048")
    accept(
        "encrypted under the older key",
        {"zip": old},
        [b.secret("zip", old, "10001", "list", ["10001"], key="test-only-other-2048.pkcs8.pem")],
    )
    user = b.encrypted("TestUser-17")
    accept("an encrypted user", {"userID": user}, [b.secret("userID", user, "TestUser-17", "text", "TestUser-17")])
    status = b.encrypted("true")
    accept("an encrypted boolean", {"hba_status": status}, [b.secret("hba_status", status, "true", "boolean", True)])
    text = '{"MPAA":"PG-13","VCHIP":"TV-14","URL":"http://example.com/max"}'
    rating = b.encrypted(text)
    accept(
        "an encrypted object", {"maxRating": rating}, [b.secret("maxRating", rating, text, "object", json.loads(text))]
    )
    long = json.dumps([f"{10001 + index}" for index in range(60)])
    value = b.encrypted(long)
    accept("several blocks", {"zip": value}, [b.secret("zip", value, long, "list", json.loads(long))])
    colour = b.encrypted("bleu ciel, très clair")
    accept(
        "an attribute nobody knows",
        {"favouriteColour": colour},
        [b.secret("favouriteColour", colour, "bleu ciel, très clair", "text", "bleu ciel, très clair")],
        "Encrypted UnknownMember",
    )
    wrapped = "\r\n".join(ZIP[start : start + 76] for start in range(0, len(ZIP), 76))
    accept("wrapped at 76", {"zip": wrapped}, [b.secret("zip", wrapped, "77754", "list", ["77754"])])
    accept(
        "encryptedZip is under another party's key",
        {"encryptedZip": ZIP},
        [b.secret("encryptedZip", ZIP, code="foreign_scheme")],
    )
    accept("marked encrypted, and plain", {"zip": "77754"}, [b.secret("zip", "77754", code="not_base64")])
    accept("marked encrypted, and plain Base64", {"zip": "7775"}, [b.secret("zip", "7775", code="wrong_length")])
    accept("empty", {"zip": ""}, [b.secret("zip", "", code="wrong_length")], "Encrypted Reading")
    cut = ZIP[:-8]
    accept("cut short", {"zip": cut}, [b.secret("zip", cut, code="wrong_length")])
    foreign = b.encrypted("77754", "issuer-2048-high")
    accept("under a key that is not there", {"zip": foreign}, [b.secret("zip", foreign, code="undecryptable")])
    token = "eyJhbGciOiJSU0EtT0FFUCJ9.AAAA.AAAA.AAAA.AAAA"
    accept("JSON Web Encryption", {"zip": token}, [b.secret("zip", token, code="is_jwe")])
    accept(
        "one undecryptable attribute does not lose the others",
        {"userID": user, "zip": foreign, "hba_status": status},
        [
            b.secret("userID", user, "TestUser-17", "text", "TestUser-17"),
            b.secret("zip", foreign, code="undecryptable"),
            b.secret("hba_status", status, "true", "boolean", True),
        ],
    )
    attributes = {"zip": {"value": ZIP, "state": "plain"}}
    suite.accept(
        KIND,
        "marked plain, and encrypted: nobody can know",
        "Profile Encrypted",
        one(attributes),
        found(expected([b.plain("zip", ZIP, "list", [ZIP])])),
    )
    for comment, value in {
        "an array": [ZIP],
        "a number": 17,
        "true": True,
        "null": None,
        "an object": {"zip": ZIP},
    }.items():
        attributes = {"zip": {"value": value, "state": "enc"}, "userID": {"value": "TestUser-17", "state": "plain"}}
        wanted = [{"name": "zip", "error": "encrypted_not_text"}, USER]
        suite.accept(
            KIND,
            f"encrypted, and no text but {comment}",
            "Profile Encrypted WrongType",
            one(attributes),
            found(expected(wanted)),
        )
