#!/usr/bin/env python3
"""Writes the test vectors for playback sessions. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

PyJWT signs each session, and must agree with each verdict that it can reach, before anything is written. No clock, no
randomness: the same keys give the same bytes.
"""

import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import sys

import jwt
import jwt.api_jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files

KEYS = pathlib.Path(__file__).resolve().parents[1] / "keys"
NOW = 1_768_498_200
ISSUER = "play.example.org"
SECRET = bytes(range(1, 33))
OTHER_SECRET = bytes(range(33, 65))
RSA_FILE = "test-only-issuer-2048"
OTHER_RSA_FILE = "test-only-other-2048"
ADDRESS = "2001:db8::77"
JTI = base64.urlsafe_b64encode(bytes(range(16))).rstrip(b"=").decode()


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Key:
    """A session key as this script sees it: what PyJWT signs and verifies with, `kid`, and what hides addresses."""

    def __init__(self, name):
        self.name = name
        if isinstance(name, bytes):
            self.algorithm, self.signing, self.verifying = "HS256", name, name
            self.kid = hmac.digest(name, b"tve session key", "sha256")[:8].hex()
            root = name
        else:
            self.algorithm = "RS256"
            self.signing = serialization.load_pem_private_key((KEYS / f"{name}.pkcs8.pem").read_bytes(), None)
            self.verifying = self.signing.public_key()
            self.kid = self.thumbprint()
            # RSASSA-PKCS1-v1_5 is deterministic, and only the holder of the key can make this signature.
            root = self.signing.sign(b"tve session client", padding.PKCS1v15(), hashes.SHA256())
        self.client_key = hmac.digest(root, b"tve session client", "sha256")

    def thumbprint(self):
        """RFC 7638."""
        numbers = self.verifying.public_numbers()
        size = (numbers.n.bit_length() + 7) // 8
        members = {"e": b64(numbers.e.to_bytes(3, "big")), "kty": "RSA", "n": b64(numbers.n.to_bytes(size, "big"))}
        return b64(hashlib.sha256(compact(members)).digest())

    def client(self, address, jti=JTI):
        identifier = base64.urlsafe_b64decode(jti + "==")
        return b64(hmac.digest(self.client_key, identifier + address.encode(), "sha256")[:16])

    @property
    def stated(self):
        return {"secret": self.name.hex()} if isinstance(self.name, bytes) else {"file": f"{self.name}.pkcs8.pem"}


HS, OTHER_HS, RS, OTHER_RS = Key(SECRET), Key(OTHER_SECRET), Key(RSA_FILE), Key(OTHER_RSA_FILE)


def claims(**changes):
    """The claims in their order; a change to `None` leaves one out."""
    standard = {
        "iss": ISSUER, "sub": "0123456789abcdef0123456789abcdef", "aud": "REF30", "iat": NOW, "exp": NOW + 300,
        "jti": JTI, "resource": "REF30", "mvpd": "TestMVPD", "ceiling": NOW + 28_800,
    }
    return {name: value for name, value in (standard | changes).items() if value is not None}


def sign(key, payload, **header):
    """Signs with PyJWT; the payload may be bytes that are not JSON."""
    payload = payload if isinstance(payload, bytes) else compact(payload)
    headers = {"typ": "playback-session+jwt", "kid": key.kid} | header
    return jwt.PyJWS().encode(payload, key.signing, algorithm=key.algorithm, headers=headers)


class FrozenTime(datetime.datetime):
    """The clock of PyJWT while it looks at a case."""

    at = NOW

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(cls.at, tz)


jwt.api_jwt.datetime = FrozenTime

# What PyJWT says where this library has the code; a code that is missing here is a check that PyJWT does not make.
SAME = {
    "valid": None,
    "bad_session_signature": jwt.InvalidSignatureError,
    "session_expired": jwt.ExpiredSignatureError,
    "session_not_yet_valid": jwt.ImmatureSignatureError,
    "session_issuer_mismatch": jwt.InvalidIssuerError,
    "requestor_mismatch": jwt.InvalidAudienceError,
}


def must_agree(key, text, code, at, requestor):
    if code not in SAME:
        return
    FrozenTime.at = at
    # This library allows a clock that is late by 60 s, and no leeway after the end.
    options = {"leeway": 60} if code == "session_not_yet_valid" or at < NOW else {}
    error = None
    try:
        jwt.decode(
            text, key.verifying, algorithms=[key.algorithm], audience=requestor, issuer=ISSUER,
            options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]}, **options)
    except jwt.PyJWTError as found:
        error = type(found)
    if error is not SAME[code]:
        raise SystemExit(f"PyJWT says {error} where {code} is expected: {text}")


def issued():
    for key, name in ((HS, "HS256"), (RS, "RS256")):
        texts = {
            "plain": claims(),
            "quotes, a backslash and controls": claims(resource='a"b\\c\t\n'),
            "texts beyond ASCII": claims(resource="Größte Sendung 漢字 😀", mvpd="é"),
            "a whole MRSS fragment": claims(resource='<rss version="2.0"><channel><title>REF30</title></channel></rss>'),
            "the longest lifetime": claims(exp=NOW + 604_800, ceiling=NOW + 604_800),
            "bound to an address": claims(client=key.client(ADDRESS)),
        }
        for comment, payload in texts.items():
            text = sign(key, payload)
            must_agree(key, text, "valid", NOW, "REF30")
            shown = {name: value for name, value in payload.items() if name != "client"}
            yield {
                "comment": f"{name}, {comment}", "key": key.stated, "claims": shown,
                "client": ADDRESS if "client" in payload else None, "expectedText": text,
            }


def verified():
    """Tuples of a comment, the verifier's key, the text, the code, and what differs from the usual question."""
    for key, other in ((HS, OTHER_HS), (RS, OTHER_RS)):
        name = key.algorithm
        good = sign(key, claims())
        header, payload, signature = good.split(".")
        yield f"{name}, good", key, good, "valid", {}
        yield f"{name}, one second before its end", key, good, "valid", {"at": NOW + 299}
        yield f"{name}, at its end", key, good, "session_expired", {"at": NOW + 300}
        yield f"{name}, long after its end", key, good, "session_expired", {"at": NOW + 10**9}
        yield f"{name}, a clock that is 60 s late", key, good, "valid", {"at": NOW - 60}
        yield f"{name}, a clock that is 61 s late", key, good, "session_not_yet_valid", {"at": NOW - 61}
        yield f"{name}, another requestor", key, good, "requestor_mismatch", {"requestor": "REF3"}
        yield f"{name}, another resource", key, good, "resource_mismatch", {"resource": "REF30/"}
        yield f"{name}, another issuer", key, sign(key, claims(iss="x")), "session_issuer_mismatch", {}
        yield f"{name}, signed with another key", key, sign(other, claims()), "retired_session_key", {}
        forged = sign(other, claims(), kid=key.kid)
        yield f"{name}, signed with another key under this name", key, forged, "bad_session_signature", {}
        changed = b64(compact(claims(resource="Other")))
        yield f"{name}, a changed claim", key, f"{header}.{changed}.{signature}", "bad_session_signature", {}
        short = b64(base64.urlsafe_b64decode(signature + "==")[:-1])
        yield f"{name}, a shorter signature", key, f"{header}.{payload}.{short}", "bad_session_signature", {}
        yield f"{name}, no signature", key, f"{header}.{payload}.", "bad_session_signature", {}
        bound = sign(key, claims(client=key.client(ADDRESS)))
        yield f"{name}, bound", key, bound, "valid", {"client": ADDRESS}
        for spelling in ("2001:DB8:0:0::0077", "[2001:db8::77]", "[2001:db8:0::77]:51008"):
            yield f"{name}, bound, the address as {spelling}", key, bound, "valid", {"client": spelling}
        for other in (f"{ADDRESS}:51008", f"{ADDRESS}%eth0", f"{ADDRESS} ", f"[{ADDRESS}]:", f"[{ADDRESS}]:65536"):
            yield f"{name}, bound, and {other!r}", key, bound, "session_client_mismatch", {"client": other}
        fourth = sign(key, claims(client=key.client("192.0.2.7")))
        for spelling in ("192.0.2.7", "192.0.2.7:51008", "::ffff:192.0.2.7", "[::FFFF:c000:207]:443"):
            yield f"{name}, bound to IPv4, the address as {spelling}", key, fourth, "valid", {"client": spelling}
        for other in ("192.0.2.7:", "192.0.2.07", "[192.0.2.7]", "::192.0.2.7", "unknown"):
            yield f"{name}, bound to IPv4, and {other!r}", key, fourth, "session_client_mismatch", {"client": other}
        unread = sign(key, claims(client=key.client("unknown")))
        yield f"{name}, bound to what is not an address", key, unread, "session_client_mismatch", {"client": "unknown"}
        yield f"{name}, bound to another address", key, bound, "session_client_mismatch", {"client": ADDRESS + "0"}
        yield f"{name}, bound, and no address", key, bound, "session_client_mismatch", {}
        yield f"{name}, not bound, and an address", key, good, "session_client_mismatch", {"client": ADDRESS}
        moved = sign(key, claims(client=key.client(ADDRESS, b64(bytes(16)))))
        yield f"{name}, the hash of another session", key, moved, "session_client_mismatch", {"client": ADDRESS}
        for comment, text in spellings(key, header, payload, signature):
            yield f"{name}, {comment}", key, text, "bad_session", {}
    none = b64(compact({"typ": "playback-session+jwt", "alg": "none", "kid": HS.kid}))
    yield "alg none", HS, f"{none}.{b64(compact(claims()))}.", "bad_session", {}
    # The public key as a secret. PyJWT refuses such a secret, so this one is signed by hand.
    public = (KEYS / f"{RSA_FILE}.spki.pem").read_bytes()
    confused = b64(compact({"typ": "playback-session+jwt", "alg": "HS256", "kid": RS.kid})) + "." + b64(compact(claims()))
    code = b64(hmac.digest(public, confused.encode(), "sha256"))
    yield "HS256 with the public key as secret", RS, f"{confused}.{code}", "bad_session", {}


def spellings(key, header, payload, signature):
    """Texts that other readers take for the same session, and claims that no issuer of this library writes."""
    good = claims()
    yield "padded", f"{header}.{payload}.{signature}="
    yield "the standard alphabet", f"{header}.{payload}.{signature.replace('-', '+').replace('_', '/')}+"
    yield "white space after it", f"{header}.{payload}.{signature}\n"
    yield "four parts", f"{header}.{payload}.{signature}."
    yield "two parts", f"{header}.{payload}"
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    yield "trailing bits", f"{header}.{payload}.{signature[:-1]}{last[last.index(signature[-1]) | 1]}"
    yield "claims in another order", sign(key, dict(reversed(good.items())))
    yield "claims with spaces", sign(key, json.dumps(good).encode())
    yield "an escape", sign(key, compact(good).replace(b"REF30", b"\\u0052EF30"))
    yield "a claim twice", sign(key, compact(good)[:-1] + b',"aud":"REF30"}')
    yield "a claim more", sign(key, good | {"admin": True})
    yield "nbf", sign(key, good | {"nbf": NOW})
    for name in good:
        yield f"no {name}", sign(key, claims(**{name: None}))
        yield f"{name} is null", sign(key, compact(good).replace(json.dumps(good[name]).encode(), b"null", 1))
    yield "aud is a list", sign(key, claims(aud=["REF30"]))
    yield "exp is a text", sign(key, claims(exp=str(NOW + 300)))
    yield "exp has decimals", sign(key, claims(exp=NOW + 300.5))
    yield "exp in milliseconds", sign(key, claims(exp=(NOW + 300) * 1000))
    yield "exp before iat", sign(key, claims(exp=NOW))
    yield "exp after the ceiling", sign(key, claims(exp=NOW + 28_801))
    yield "a ceiling after 7 days", sign(key, claims(ceiling=NOW + 604_801))
    yield "jti is too short", sign(key, claims(jti=JTI[:-2]))
    yield "jti has trailing bits", sign(key, claims(jti=JTI[:-1] + "x"))
    yield "not an object", sign(key, b"[]")
    yield "not JSON", sign(key, b"{")
    yield "not UTF-8", sign(key, compact(good).replace(b"REF30", b"\xff"))
    yield "typ is JWT", sign(key, good, typ="JWT")
    yield "a header member more", sign(key, good, cty="JWT")


def verify_case(comment, key, text, code, changes):
    question = {"at": NOW, "requestor": "REF30", "resource": "REF30", "client": None} | changes
    must_agree(key, text, code, question["at"], question["requestor"])
    question["at"] *= 1000
    return {
        "comment": comment, "result": "valid" if code == "valid" else "invalid", "key": key.stated, "text": text,
        **question, "expectedCode": code,
    }


def build():
    issue_tests = [{"tcId": number, **test} for number, test in enumerate(issued(), 1)]
    verify_tests = [
        {"tcId": number, **verify_case(*test)} for number, test in enumerate(verified(), len(issue_tests) + 1)
    ]
    content = {
        "algorithm": "PlaybackSession",
        "numberOfTests": len(issue_tests) + len(verify_tests),
        "header": ["Every value is invented and every key is test-only.", "Made by make_vectors.py with PyJWT."],
        "source": vector_files.SOURCE,
        "testGroups": [{"issuer": ISSUER, "issue": issue_tests, "verify": verify_tests}],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    return [vector_files.VectorFile("playback_session_test.json", text, content["numberOfTests"])]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
