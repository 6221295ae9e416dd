"""Collects cases, compares them with the reference verifier, and makes the text of the file."""

import functools
import re
from dataclasses import dataclass

import reference_verifier
import vector_files

from . import builder
from .notes import HEADER, NOTES

STATUS = {
    "valid": "VALID_TOKEN",
    "malformed": "INVALID_TOKEN_FORMAT",
    "too_large": "INVALID_TOKEN_FORMAT",
    "foreign_token": "INVALID_TOKEN_FORMAT",
    "bad_signature": "INVALID_SIGNATURE",
    "expired": "TOKEN_EXPIRED",
    "not_yet_valid": "TOKEN_NOT_YET_VALID",
    "resource_mismatch": "INVALID_RESOURCE_ID",
    "requestor_mismatch": "INVALID_REQUESTOR_ID",
}
CODES_WITH_CLAIMS = {"valid", "expired", "not_yet_valid", "resource_mismatch", "requestor_mismatch"}

# Longer tokens are written in parts.
LONGEST_PLAIN_TOKEN = 4500


@dataclass
class Case:
    comment: str
    flags: list
    token: bytes
    code: str
    claims: dict | None
    keys: tuple
    at: int
    requestor: str | None
    resource: str | None
    allow_sha1: bool
    leeway: int


class Suite:
    def __init__(self):
        self.cases = []

    def add(
        self,
        comment,
        flags,
        token,
        code,
        claims=None,
        *,
        keys=("issuer-2048.spki.pem",),
        at=builder.NOW,
        requestor="REF30",
        resource="TestChannel",
        allow_sha1=False,
        leeway=0,
    ):
        """One case. `code` and `claims` are the expectation, stated by hand."""
        flags = flags.split()
        assert set(flags) <= NOTES.keys(), (comment, flags)
        assert (claims is not None) == (code in CODES_WITH_CLAIMS), comment
        keys = tuple(f"test-only-{key}" for key in keys)
        data = builder.bytes_of(token)
        case = Case(comment, flags, data, code, claims, keys, at, requestor, resource, allow_sha1, leeway)
        self.cases.append(case)

    def accept(self, comment, flags, token, claims=None, **options):
        """A valid token; its claims are those of the standard body unless stated otherwise."""
        self.add(comment, flags, token, "valid", claims or builder.claims(), **options)

    def assert_reference_agrees(self):
        disagreements = [text for case in self.cases if (text := disagreement(case))]
        assert not disagreements, "\n".join(disagreements)

    def assert_distinct(self):
        """Two cases that ask the same question would be padding."""
        seen, twice = {}, []
        for case in self.cases:
            question = (case.token, case.keys, case.at, case.requestor, case.resource, case.allow_sha1, case.leeway)
            if question in seen:
                twice.append(f"{seen[question]} = {case.comment}")
            seen[question] = case.comment
        assert not twice, "the same question twice:\n" + "\n".join(twice)

    def json_text(self):
        return vector_files.envelope(
            "MediaToken",
            schema="media_token_verify_schema_v1.json",
            tests=len(self.cases),
            header=HEADER,
            notes=vector_files.notes_of((flag for case in self.cases for flag in case.flags), NOTES),
            groups=self.groups(),
        )

    def groups(self):
        """One group for each set of keys, in the order in which they first appear."""
        groups = {}
        for case in self.cases:
            groups.setdefault(case.keys, []).append(case)
        numbers = iter(range(1, len(self.cases) + 1))
        return [
            {
                "type": "MediaTokenVerify",
                "source": vector_files.SOURCE,
                "keys": list(keys),
                "tests": [test_of(case, next(numbers)) for case in cases],
            }
            for keys, cases in groups.items()
        ]


@functools.cache
def reference_keys(files):
    return reference_verifier.load_keys(builder.KEYS / file for file in files)


def disagreement(case):
    """Empty if the reference verifier agrees with the case."""
    request = reference_verifier.Request(
        case.token, case.requestor, case.resource, case.at, case.leeway, case.allow_sha1
    )
    verdict = reference_verifier.verify(request, reference_keys(case.keys))
    stated = (STATUS[case.code], case.code, case.claims)
    found = (verdict.status, verdict.code, verdict.claims)
    return "" if stated == found else f"{case.comment}:\n stated {stated}\n  found {found}"


def test_of(case, number):
    test = {"tcId": number, "comment": case.comment, "flags": case.flags}
    test |= token_members(case.token)
    test |= {
        "at": case.at,
        "requestor": case.requestor,
        "resource": case.resource,
        "allowSHA1": case.allow_sha1,
        "leeway": case.leeway,
        "result": "valid" if case.code == "valid" else "invalid",
        "expectedStatus": STATUS[case.code],
        "expectedCode": case.code,
    }
    if case.claims is not None:
        test["expectedClaims"] = case.claims
    return test


def token_members(data):
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return {"tokenHex": data.hex()}
    if len(text) <= LONGEST_PLAIN_TOKEN:
        return {"token": text}
    return {"tokenParts": parts_of(text)}


def parts_of(text):
    """Repeated stretches, and the texts between them."""
    parts, end = [], 0
    for run in re.finditer(r"(.{1,300}?)\1{63,}", text, re.DOTALL):
        if run.start() > end:
            parts.append({"text": text[end : run.start()], "repeat": 1})
        parts.append({"text": run[1], "repeat": len(run[0]) // len(run[1])})
        end = run.end()
    if end < len(text):
        parts.append({"text": text[end:], "repeat": 1})
    assert "".join(part["text"] * part["repeat"] for part in parts) == text
    assert sum(len(part["text"]) for part in parts) < 3 * LONGEST_PLAIN_TOKEN
    return parts
