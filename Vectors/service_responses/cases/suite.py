"""Collects cases, checks their tokens and encrypted attributes a second time, and makes the text of the file."""

import functools
import json

import vector_files

from . import neighbours
from .notes import HEADER, NOTES

KINDS = ["profiles", "decisions", "usermetadata", "authentication", "authorization", "error"]
CODES = {"not_json", "duplicate_member", "too_deep", "missing_member", "wrong_type", "bad_timestamp", "service_error"}

KEYS = ["test-only-issuer-2048.pkcs8.pem", "test-only-other-2048.pkcs8.pem"]
ISSUERS = ["test-only-issuer-2048.spki.pem"]
AT = neighbours.token_builder.NOW


class Suite:
    def __init__(self):
        self.groups = {kind: [] for kind in KINDS}

    def accept(self, kind, comment, flags, body, expected, **options):
        self.add(kind, comment, flags, body, {"result": "valid", "expected": expected}, **options)

    def refuse(self, kind, comment, flags, body, code, path="", **options):
        """`path` is a JSON Pointer (RFC 6901) to the wrong value, or to the object that lacks a member."""
        assert code in CODES, comment
        outcome = {"result": "invalid", "expectedError": {"code": code, "path": path}}
        self.add(kind, comment, flags, body, outcome, **options)

    def either(self, kind, comment, flags, body, expected, code, path="", **options):
        """May be decoded, may be refused: the facts leave it open."""
        assert code in CODES, comment
        outcome = {"result": "acceptable", "expected": expected, "expectedError": {"code": code, "path": path}}
        self.add(kind, comment, flags + " Reading", body, outcome, **options)

    def add(self, kind, comment, flags, body, outcome):
        flags = flags.split()
        assert set(flags) <= NOTES.keys(), (comment, flags)
        if not isinstance(body, (str, bytes)):
            body = compact(body)
        data = body if isinstance(body, bytes) else body.encode()
        self.groups[kind].append({"comment": comment, "flags": flags, **body_member(data), **outcome})

    def check(self):
        faults = []
        seen = {}
        for kind, tests in self.groups.items():
            for test in tests:
                question = (kind, test.get("body"), test.get("bodyHex"))
                if question in seen:
                    faults.append(f"the same question twice: {seen[question]} = {test['comment']}")
                seen[question] = test["comment"]
                faults += [f"{kind}, {test['comment']}: {fault}" for fault in faults_of(test)]
        assert not faults, "\n".join(faults)

    @property
    def count(self):
        return sum(map(len, self.groups.values()))

    def json_text(self):
        numbers = iter(range(1, self.count + 1))
        groups = [
            {
                "type": "ServiceResponseDecode",
                "source": vector_files.SOURCE,
                "kind": kind,
                "keys": KEYS,
                "issuers": ISSUERS,
                "at": AT,
                "tests": [{"tcId": next(numbers), **test} for test in tests],
            }
            for kind, tests in self.groups.items()
        ]
        flags = (flag for tests in self.groups.values() for test in tests for flag in test["flags"])
        return vector_files.envelope(
            "ServiceResponse",
            schema="service_response_schema_v1.json",
            tests=self.count,
            header=HEADER,
            notes=vector_files.notes_of(flags, NOTES),
            groups=groups,
        )


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def body_member(data):
    """The body as text, or as hexadecimal digits if it is not UTF-8."""
    try:
        return {"body": data.decode()}
    except UnicodeDecodeError:
        return {"bodyHex": data.hex()}


def refuse_constant(name):
    """NaN and the infinities, which Python reads and JSON does not have."""
    raise ValueError(name)


# --- A second opinion -----------------------------------------------------------------------------------------


class Repeated(Exception):
    pass


def without_repetition(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Repeated
    return dict(pairs)


def faults_of(test):
    code = test.get("expectedError", {}).get("code")
    body = test.get("body")
    if body is None:
        return [] if code == "not_json" else ["octets that are no UTF-8 cannot be JSON"]
    try:
        value = json.loads(body, object_pairs_hook=without_repetition, parse_constant=refuse_constant)
        compact(value).encode()
    except Repeated:
        return [] if code == "duplicate_member" else ["a member occurs twice"]
    except RecursionError:
        return [] if code == "too_deep" else ["Python finds this too deep"]
    except ValueError:
        return [] if code == "not_json" else ["Python reads no JSON here"]
    if code == "not_json" and test["result"] == "invalid":
        return ["Python reads this as JSON"]
    return [fault for part in parts_of(test.get("expected")) for fault in faults_of_part(part)]


def parts_of(expected):
    """Every object in the expectation, the innermost too."""
    if isinstance(expected, dict):
        yield expected
        expected = expected.values()
    elif not isinstance(expected, list):
        return
    for part in expected:
        yield from parts_of(part)


def faults_of_part(part):
    if "decryption" in part:
        yield from faults_of_decryption(part)
    if isinstance(part.get("token"), dict):
        token = part["token"]
        about = {"resource": part["resource"], "mvpd": part.get("mvpd"), "requestor": part.get("serviceProvider")}
        yield from faults_of_verdict(token, about | {"start": token["notBefore"], "end": token["notAfter"]})


@functools.cache
def decryption_keys():
    return [
        neighbours.metadata_decrypter.Key(
            file, neighbours.metadata_builder.private_key(file[len("test-only-") : -len(".pkcs8.pem")])
        )
        for file in KEYS
    ]


def faults_of_decryption(attribute):
    stated = attribute["decryption"]
    for implicit_rejection in (False, True):
        try:
            text, key = neighbours.metadata_decrypter.decrypt(
                attribute["raw"], attribute["name"], "pkcs1", decryption_keys(), implicit_rejection=implicit_rejection
            )
            found = {"text": text, "key": key}
        except neighbours.metadata_decrypter.Refusal as refusal:
            found = {"code": refusal.code}
        if any(stated.get(name) != value for name, value in found.items()):
            yield f"{attribute['name']} decrypts to {found}"


def faults_of_verdict(token, about):
    """`about` says what the body around the token says."""
    keys = neighbours.token_verifier.load_keys(neighbours.token_builder.KEYS / file for file in ISSUERS)
    request = neighbours.token_verifier.Request(token["serializedToken"].encode(), None, None, AT)
    verdict = neighbours.token_verifier.verify(request, keys)
    if verdict.code != token["verdict"]:
        yield f"the token's verdict is {verdict.code}"
    if verdict.code == "valid" and (differing := cross_check(verdict.claims, about)) != token["crossCheck"]:
        yield f"what differs is {differing}"


def cross_check(claims, about):
    """The facts in which body and token differ. Tokens have whole seconds, so less than one second does not count."""
    named = {"requestor": "requestorID", "resource": "resourceID", "mvpd": "mvpdId"}
    timed = {"start": "issued", "end": "expires"}
    differing = [name for name, claim in named.items() if about.get(name) not in (None, claims[claim])]
    return differing + [
        name for name, claim in timed.items() if name in about and abs(about[name] - claims[claim]) >= 1000
    ]
