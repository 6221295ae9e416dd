"""Timestamps, in the spellings in which they come, and in others."""

from . import builder as b
from .profiles import KIND, expected, found, one


def add(suite):
    good = {
        "as a numeric string": (str(b.END), b.END),
        "the epoch": (0, 0),
        "the epoch as a string": ("0", 0),
        "seconds where milliseconds are due: taken as stated": (1_700_000_000, 1_700_000_000),
        "seconds as a string": ("1700000000", 1_700_000_000),
        "the largest number of 64 bits": (2**63 - 1, 2**63 - 1),
        "the largest number of 64 bits as a string": (str(2**63 - 1), 2**63 - 1),
        "beyond what a double can hold": (2**53 + 1, 2**53 + 1),
    }
    for comment, (written, read) in good.items():
        for member in ("notBefore", "notAfter"):
            suite.accept(
                KIND,
                f"{member}: {comment}",
                "Profile Timestamp",
                one(**{member: written}),
                found(expected(**{member: read})),
            )
    text = b.compact(one())
    path = "/profiles/TestMVPD/notAfter"
    bad = {
        "2^63": str(2**63),
        "2^63 as a string": f'"{2**63}"',
        "2^64": str(2**64),
        "40 digits": "9" * 40,
        "a fraction": f"{b.END}.5",
        "a fraction as a string": f'"{b.END}.5"',
        "an exponent that leaves a fraction": "15e-1",
        "an empty string": '""',
        "a space in front": f'" {b.END}"',
        "a line end behind": f'"{b.END}\\n"',
        "a plus sign": f'"+{b.END}"',
        "hexadecimal": '"0x19bc"',
        "full-width digits": '"１７００００００００００"',
        "Arabic digits": '"١٧٠٠٠٠٠٠٠٠٠٠٠"',
        "an underscore": '"1_700_000_000_000"',
        "an exponent in a string": '"1.7e12"',
        "words": '"never"',
        "NaN in a string": '"NaN"',
        "a date": '"2026-01-15T17:30:00Z"',
        "the form of AuthN tokens": '"2026/01/15 17:30:00 GMT -0800"',
    }
    for comment, written in bad.items():
        suite.refuse(
            KIND,
            f"notAfter: {comment}",
            "Profile Timestamp",
            text.replace(f'"notAfter":{b.END}', f'"notAfter":{written}'),
            "bad_timestamp",
            path,
        )
    for comment, written in {"true": "true", "an array": "[1]", "an object": '{"ms":1}'}.items():
        suite.refuse(
            KIND,
            f"notAfter: {comment}",
            "Profile Timestamp WrongType",
            text.replace(f'"notAfter":{b.END}', f'"notAfter":{written}'),
            "wrong_type",
            path,
        )
    for comment, (written, read) in {
        "negative": ("-1", -1),
        "negative as a string": ('"-1"', -1),
        "a whole number with a fraction of zero": (f"{b.END}.0", b.END),
        "a whole number with an exponent": ("1.7e12", 1_700_000_000_000),
        "leading zeros in a string": (f'"00{b.END}"', b.END),
        "minus zero": ("-0", 0),
    }.items():
        suite.either(
            KIND,
            f"notAfter: {comment}",
            "Profile Timestamp",
            text.replace(f'"notAfter":{b.END}', f'"notAfter":{written}'),
            found(expected(notAfter=read)),
            "bad_timestamp",
            path,
        )
    suite.accept(
        KIND,
        "notAfter before notBefore: taken as stated",
        "Profile Timestamp",
        one(notBefore=b.END, notAfter=b.START),
        found(expected(notBefore=b.END, notAfter=b.START)),
    )
    for member in ("notBefore", "notAfter"):
        for comment, value in {"not there": ..., "null": None}.items():
            suite.either(
                KIND,
                f"{member}: {comment}",
                "Profile Timestamp MissingMember",
                one(**{member: value}),
                found(expected(**{member: ...})),
                "missing_member",
                f"/profiles/TestMVPD/{member}",
            )
