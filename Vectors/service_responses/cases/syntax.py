"""Bodies that are not JSON, or JSON that must be refused."""

from . import builder as b
from .profiles import body, expected, found, one, profile

KIND = "profiles"


def add(suite):
    add_not_json(suite)
    add_wrong_top(suite)
    add_duplicates(suite)
    add_depth(suite)


def add_not_json(suite):
    good = b.compact(body())
    cases = {
        "empty": "",
        "only white space": " \r\n\t",
        "words": "Not Found",
        "a page": "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
        "the XML form": '<?xml version="1.0"?><userMetadata/>',
        "cut short": good[:-20],
        "without its last brace": good[:-1],
        "another brace behind it": good + "}",
        "letters behind it": good + "x",
        "a second body behind it": good + good,
        "NUL behind it": good + "\x00",
        "NUL in a text": good.replace("TestUser", "Test\x00User"),
        "a line end in a text": good.replace("TestUser", "Test\nUser"),
        "single quotation marks": good.replace('"', "'"),
        "a comma before the last brace": good[:-1] + ",}",
        "a comment": good[:-1] + "/* end */}",
        "a callback around it": f"callback({good})",
        "a guard in front": ")]}'\n" + good,
        "NaN": good.replace(str(b.END), "NaN"),
        "Infinity": good.replace(str(b.END), "Infinity"),
        "a number with a leading zero": good.replace(str(b.END), f"0{b.END}"),
        "a number with a plus sign": good.replace(str(b.END), f"+{b.END}"),
        "a hexadecimal number": good.replace(str(b.END), "0x19BC"),
        "a number without digits after the point": good.replace(str(b.END), "17."),
        "a broken escape": good.replace("TestUser", "Test\\xUser"),
        "an escape cut short": good.replace("TestUser", "Test\\u00"),
        "True instead of true": good.replace('"plain"', "True"),
        "a vertical tab between members": good.replace(",", ",\v", 1),
        "a no-break space between members": good.replace(",", ",\u00a0", 1),
        "no colon": good.replace(":", " ", 1),
        "typographic quotation marks": good.replace('"', "“", 1),
        "not UTF-8 in a text": good.encode().replace(b"TestUser", b"Test\xff"),
        "Latin-1": good.encode().replace(b"TestUser", b"Z\xfcrich"),
        "half a surrogate pair in three octets": good.encode().replace(b"TestUser", b"\xed\xa0\x80"),
        "overlong": good.encode().replace(b"TestUser", b"\xc0\xaf"),
        "UTF-16": good.encode("utf-16"),
        "UTF-16 without its mark": good.encode("utf-16-le"),
        "compressed": b"\x1f\x8b\x08\x00" + b.metadata_builder.stream(60, "compressed"),
    }
    for comment, text in cases.items():
        suite.refuse(KIND, comment, "NotJson", text, "not_json")
    attribute = {"userID": {"value": "@", "state": "plain"}}
    text = b.compact(one(attribute)).replace('"@"', '"\\ud83d"')
    suite.refuse(KIND, "half a surrogate pair as an escape", "NotJson Reading", text, "not_json")
    text = b.compact(body()).replace('"TestMVPD"', '"\\ud83d"', 1)
    suite.refuse(KIND, "half a surrogate pair in a name", "NotJson Reading", text, "not_json")
    text = "\ufeff" + b.compact(body())
    suite.either(KIND, "a byte order mark in front", "NotJson", text, found(expected()), "not_json")


def add_wrong_top(suite):
    for comment, text in {
        "an array": "[]",
        "an array around the body": f"[{b.compact(body())}]",
        "null": "null",
        "true": "true",
        "a number": "17",
        "a text": '"profiles"',
    }.items():
        suite.refuse(KIND, f"at the top: {comment}", "WrongType", text, "wrong_type")
    for kind in ("decisions", "usermetadata", "authentication", "authorization", "error"):
        for text in ("[]", "null"):
            suite.refuse(kind, f"at the top: {text}", "WrongType", text, "wrong_type")
        suite.refuse(kind, "empty", "NotJson", "", "not_json")
        suite.refuse(kind, "letters behind it", "NotJson", "{}x", "not_json")
        suite.refuse(kind, "not UTF-8", "NotJson", b'{"a":"\xff"}', "not_json")
        suite.refuse(kind, "a member twice", "DuplicateMember", '{"resource":"a","resource":"b"}', "duplicate_member")


def add_duplicates(suite):
    good = b.compact(body())
    cases = {
        "profiles twice": ('{"profiles":{},' + good[1:], ""),
        "a provider twice": (
            good.replace('{"TestMVPD"', '{"TestMVPD":' + b.compact(profile()) + ',"TestMVPD"', 1),
            "/profiles",
        ),
        "notAfter twice": (good.replace('"notAfter"', f'"notAfter":{b.START},"notAfter"'), "/profiles/TestMVPD"),
        "notAfter twice, the same value": (
            good.replace('"notAfter"', f'"notAfter":{b.END},"notAfter"'),
            "/profiles/TestMVPD",
        ),
        "an attribute twice": (
            good.replace('{"userID"', '{"userID":{"value":"x","state":"plain"},"userID"'),
            "/profiles/TestMVPD/attributes",
        ),
        "an unknown member twice": (good.replace('{"profiles"', '{"extra":1,"extra":2,"profiles"'), ""),
        "notAfter twice, once with an escape": (
            good.replace('"notAfter"', f'"\\u006eotAfter":{b.START},"notAfter"'),
            "/profiles/TestMVPD",
        ),
    }
    for comment, (text, path) in cases.items():
        suite.refuse(KIND, comment, "DuplicateMember", text, "duplicate_member", path)
    text = good.replace('"state":"plain"', '"state":"enc","state":"plain"')
    wanted = found(expected([{"name": "userID", "error": "bad_attribute"}]))
    suite.either(
        KIND, "state twice", "DuplicateMember", text, wanted, "duplicate_member", "/profiles/TestMVPD/attributes/userID"
    )
    text = good[:-1] + ',"extra":{"a":1,"a":2}}'
    wanted = found(expected(), other={"extra": '{"a":1,"a":2}'})
    suite.either(
        KIND, "a member twice inside an unknown one", "DuplicateMember", text, wanted, "duplicate_member", "/extra"
    )


def add_depth(suite):
    def nested(levels, opening="[", closing="]"):
        """The body is one level, so an unknown member adds the rest."""
        return opening * (levels - 1) + ("1" if opening != "[" else "") + closing * (levels - 1)

    good = b.compact(body())[:-1]
    for levels, kind in ((64, "arrays"), (64, "objects")):
        text = nested(levels) if kind == "arrays" else nested(levels, '{"a":', "}")
        suite.accept(
            KIND,
            f"{levels} levels of {kind}",
            "Depth",
            f'{good},"deep":{text}}}',
            found(expected(), other={"deep": text}),
        )
    for levels in (65, 66, 1000, 20_000):
        suite.refuse(KIND, f"{levels:,} levels of arrays", "Depth", f'{good},"deep":{nested(levels)}}}', "too_deep")
    suite.refuse(KIND, "65 levels of objects", "Depth", good + ',"deep":' + nested(65, '{"a":', "}") + "}", "too_deep")
    suite.refuse(KIND, "100,000 opening brackets and no more", "Depth", "[" * 100_000, "too_deep")
    suite.refuse(
        "usermetadata",
        "65 levels in an attribute",
        "Depth",
        '{"updated":1,"data":{"deep":' + "[" * 63 + "]" * 63 + "}}",
        "too_deep",
    )
