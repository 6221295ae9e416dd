"""User metadata of REST v1."""

import json

from . import builder as b
from .profiles import ZIP

UPDATED = 1_768_498_200


def add(suite):
    add_user_metadata(suite)
    add_metadata_faults(suite)


DATA = {"userID": "TestUser-17", "zip": ZIP}
USER = b.plain("userID", "TestUser-17", "text", "TestUser-17")
SECRET_ZIP = b.secret("zip", ZIP, "77754", "list", ["77754"])


def metadata(data=None, **changes):
    members = {"updated": UPDATED, "encrypted": ["zip"], "data": DATA if data is None else data} | changes
    return {name: value for name, value in members.items() if value is not ...}


def found(attributes=None, updated=UPDATED * 1000, **more):
    members = {"updated": updated, "attributes": [USER, SECRET_ZIP] if attributes is None else attributes, **more}
    return {name: value for name, value in members.items() if value is not ...}


def add_user_metadata(suite):
    def accept(comment, body, wanted, flags=""):
        suite.accept("usermetadata", comment, f"UserMetadata {flags}".strip(), body, wanted)

    plain_zip = b.plain("zip", ZIP, "list", [ZIP])
    accept("encrypted as an array of names", metadata(), found(), "Encrypted")
    accept("encrypted as an empty array", metadata(encrypted=[]), found([USER, plain_zip]), "State")
    accept("encrypted is not there: everything is plain", metadata(encrypted=...), found([USER, plain_zip]), "State")
    accept("encrypted false: everything is plain", metadata(encrypted=False), found([USER, plain_zip]), "State")
    user = b.encrypted("TestUser-17")
    secret_user = b.secret("userID", user, "TestUser-17", "text", "TestUser-17")
    accept(
        "encrypted true: every value is",
        metadata({"userID": user, "zip": ZIP}, encrypted=True),
        found([secret_user, SECRET_ZIP]),
        "State Encrypted",
    )
    accept(
        "two encrypted names",
        metadata({"userID": user, "zip": ZIP}, encrypted=["zip", "userID"]),
        found([secret_user, SECRET_ZIP]),
        "State Encrypted",
    )
    accept("an encrypted name twice", metadata(encrypted=["zip", "zip"]), found(), "State Encrypted")
    accept(
        "an encrypted name that has no value",
        metadata(encrypted=["zip", "maxRating"]),
        found(),
        "State Encrypted Reading",
    )
    accept(
        "encrypted names differ in case: another name",
        metadata(encrypted=["Zip"]),
        found([USER, plain_zip]),
        "State Unicode Reading",
    )
    accept(
        "the wrong name is listed: marked encrypted, and plain",
        metadata(encrypted=["userID"]),
        found([b.secret("userID", "TestUser-17", code="not_base64"), plain_zip]),
        "State Encrypted",
    )
    accept(
        "encryptedZip is under another party's key",
        metadata({"encryptedZip": ZIP}, encrypted=["encryptedZip"]),
        found([b.secret("encryptedZip", ZIP, code="foreign_scheme")]),
        "Encrypted",
    )
    accept("no data", metadata({}), found([]))
    for comment, (written, read) in {
        "seconds": (1334243471, 1334243471000),
        "seconds as a string": ("1334243471", 1334243471000),
        "milliseconds": (1334243471123, 1334243471123),
        "milliseconds as a string": ("1334243471123", 1334243471123),
        "the largest number of seconds": (99_999_999_999, 99_999_999_999_000),
        "the smallest number of milliseconds": (100_000_000_000, 100_000_000_000),
        "0": (0, 0),
        "the largest number of 64 bits": (2**63 - 1, 2**63 - 1),
    }.items():
        accept(f"updated: {comment}", metadata(updated=written), found(updated=read), "Timestamp")
    accept("updated is not there", metadata(updated=...), found(updated=...), "MissingMember Reading")
    rating = {"MPAA": "PG-13", "VCHIP": "TV-14", "URL": "http://example.com/max"}
    data = {
        "zip": ["77754", "10001"],
        "maxRating": rating,
        "hba_status": "true",
        "allowMirroring": True,
        "is_hoh": "1",
        "channelID": ["TNT"],
        "language": "en",
        "favouriteColour": "blue",
        "count": 17,
        "nothing": None,
        "list": ["a", "b"],
    }
    wanted = [
        b.plain("zip", data["zip"], "list", data["zip"]),
        b.plain("maxRating", rating, "object", rating),
        b.plain("hba_status", "true", "boolean", True),
        b.plain("allowMirroring", True, "boolean", True),
        b.plain("is_hoh", "1", "text", "1"),
        b.plain("channelID", ["TNT"], "list", ["TNT"]),
        b.plain("language", "en", "text", "en"),
        b.plain("favouriteColour", "blue", "text", "blue"),
        b.plain("count", 17, "number"),
        b.plain("nothing", None, "null", raw="null"),
        b.plain("list", ["a", "b"], "list", ["a", "b"]),
    ]
    accept("values of every type", metadata(data, encrypted=[]), found(wanted), "AttributeType UnknownMember")
    accept(
        "a bare ZIP becomes a list",
        metadata({"zip": "77754"}, encrypted=[]),
        found([b.plain("zip", "77754", "list", ["77754"])]),
        "AttributeType",
    )
    accept(
        "a number keeps its digits",
        '{"updated":1768498200,"data":{"count":1.50e+3}}',
        found([b.plain("count", None, "number", raw="1.50e+3")]),
        "AttributeType UnknownMember",
    )
    text = json.dumps(rating)
    value = b.encrypted(text)
    accept(
        "an encrypted object",
        metadata({"maxRating": value}, encrypted=["maxRating"]),
        found([b.secret("maxRating", value, text, "object", rating)]),
        "Encrypted",
    )
    value = b.encrypted("1")
    accept(
        "an encrypted boolean: 1",
        metadata({"hba_status": value}, encrypted=["hba_status"]),
        found([b.secret("hba_status", value, "1", "boolean", True)]),
        "Encrypted AttributeType",
    )
    accept(
        "unknown members at the top",
        metadata(source="test", more=[1]),
        found(other=b.other(source="test", more=[1])),
        "UnknownMember",
    )
    text = '{"updated":1768498200,"data":{"zip":"1","\\u007aip2":"2"}}'
    wanted = [b.plain("zip", "1", "list", ["1"]), b.plain("zip2", "2", "text", "2")]
    accept("an escape in a name", text, found(wanted), "Unicode")


def add_metadata_faults(suite):
    def refuse(comment, body, code, path, flags="WrongType"):
        suite.refuse("usermetadata", comment, f"UserMetadata {flags}", body, code, path)

    for comment, value in {"a text": "zip", "a number": 1, "an object": {"zip": True}}.items():
        refuse(f"encrypted: {comment}", metadata(encrypted=value), "wrong_type", "/encrypted", "WrongType State")
    suite.either(
        "usermetadata",
        "encrypted: null",
        "UserMetadata State MissingMember",
        metadata(encrypted=None),
        found([USER, b.plain("zip", ZIP, "list", [ZIP])]),
        "wrong_type",
        "/encrypted",
    )
    for comment, value in {"a number": 17, "null": None, "an array": ["zip"]}.items():
        refuse(
            f"a name among the encrypted: {comment}",
            metadata(encrypted=["zip", value]),
            "wrong_type",
            "/encrypted/1",
            "WrongType State",
        )
    refuse("data is missing", {"updated": UPDATED, "encrypted": []}, "missing_member", "/data", "MissingMember")
    for comment, value in {"an array": [], "a text": "x", "a number": 1}.items():
        refuse(f"data: {comment}", metadata() | {"data": value}, "wrong_type", "/data")
    for comment, value in {"an object": {}, "true": True, "an array": [1]}.items():
        refuse(f"updated: {comment}", metadata(updated=value), "wrong_type", "/updated", "WrongType Timestamp")
    for comment, value in {"a fraction": 1334243471.5, "words": "yesterday", "empty": "", "2^63": 2**63}.items():
        refuse(f"updated: {comment}", metadata(updated=value), "bad_timestamp", "/updated", "Timestamp")
    for comment, value in {"an array": [ZIP], "a number": 17, "null": None, "true": True, "an object": {}}.items():
        wanted = found([USER, {"name": "zip", "error": "encrypted_not_text"}])
        suite.accept(
            "usermetadata",
            f"encrypted, and no text but {comment}",
            "UserMetadata Encrypted WrongType",
            metadata({"userID": "TestUser-17", "zip": value}),
            wanted,
        )
    text = '{updated:1334243471,encrypted:["zip"],data:{zip:["12345"]}}'
    refuse("names without quotation marks, as printed in a manual", text, "not_json", "", "NotJson")
    text = b.compact(metadata()).replace('"data":{', '"data":{"zip":"77754",')
    refuse("an attribute twice", text, "duplicate_member", "/data", "DuplicateMember")
