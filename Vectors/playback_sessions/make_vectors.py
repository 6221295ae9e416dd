#!/usr/bin/env python3
"""Writes the test vectors for playback sessions. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

PyJWT signs each session, and must agree with each verdict that it can reach, before anything is written. No clock, no
randomness: the same keys give the same bytes. Signatures of ES256 are made as RFC 6979 says, with a low s.
"""

import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import sys

import jwt
import jwt.algorithms
import jwt.api_jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files

KEYS = pathlib.Path(__file__).resolve().parents[1] / "keys"
NOW = 1_768_498_200
ISSUER = "play.example.org"
SECRET = bytes(range(1, 33))
OTHER_SECRET = bytes(range(33, 65))
RSA_FILE = "test-only-issuer-2048"
OTHER_RSA_FILE = "test-only-other-2048"
P256_FILE = "p256/test-only-session"
OTHER_P256_FILE = "p256/test-only-other"
# The order of P-256.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
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
            self.signing = serialization.load_pem_private_key((KEYS / f"{name}.pkcs8.pem").read_bytes(), None)
            self.verifying = self.signing.public_key()
            self.kid = self.thumbprint()
            if isinstance(self.signing, ec.EllipticCurvePrivateKey):
                self.algorithm = "ES256"
                root = self.signing.private_numbers().private_value.to_bytes(32, "big")
            else:
                self.algorithm = "RS256"
                # RSASSA-PKCS1-v1_5 is deterministic, and only the holder of the key can make this signature.
                root = self.signing.sign(b"tve session client", padding.PKCS1v15(), hashes.SHA256())
        self.client_key = hmac.digest(root, b"tve session client", "sha256")

    def thumbprint(self):
        """RFC 7638."""
        numbers = self.verifying.public_numbers()
        if isinstance(numbers, ec.EllipticCurvePublicNumbers):
            x, y = (b64(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
            return b64(hashlib.sha256(compact({"crv": "P-256", "kty": "EC", "x": x, "y": y})).digest())
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
ES, OTHER_ES = Key(P256_FILE), Key(OTHER_P256_FILE)


def claims(**changes):
    """The claims in their order; a change to `None` leaves one out."""
    standard = {
        "iss": ISSUER, "sub": "0123456789abcdef0123456789abcdef", "aud": "REF30", "iat": NOW, "exp": NOW + 300,
        "jti": JTI, "resource": "REF30", "mvpd": "TestMVPD", "ceiling": NOW + 28_800,
    }
    return {name: value for name, value in (standard | changes).items() if value is not None}


class DeterministicES256(jwt.algorithms.ECAlgorithm):
    """PyJWT's algorithm, with a nonce that follows from key and text (RFC 6979)."""

    def sign(self, msg, key):
        r, s = decode_dss_signature(key.sign(msg, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
        return pair(r, min(s, ORDER - s))


def pair(r, s):
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


SIGNER = jwt.PyJWS()
SIGNER.unregister_algorithm("ES256")
SIGNER.register_algorithm("ES256", DeterministicES256(hashes.SHA256, ec.SECP256R1))


def sign(key, payload, **header):
    """Signs with PyJWT; the payload may be bytes that are not JSON."""
    payload = payload if isinstance(payload, bytes) else compact(payload)
    headers = {"typ": "playback-session+jwt", "kid": key.kid} | header
    return SIGNER.encode(payload, key.signing, algorithm=key.algorithm, headers=headers)


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
    for key, name in ((HS, "HS256"), (RS, "RS256"), (ES, "ES256")):
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
    for key, other in ((HS, OTHER_HS), (RS, OTHER_RS), (ES, OTHER_ES)):
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
        long = b64(base64.urlsafe_b64decode(signature + "==") + b"\0")
        yield f"{name}, a longer signature", key, f"{header}.{payload}.{long}", "bad_session_signature", {}
        huge = b64(bytes(range(1, 206)) * 5)
        yield f"{name}, a signature of 1025 bytes", key, f"{header}.{payload}.{huge}", "bad_session_signature", {}
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
    yield from signatures_of_es256()
    none = b64(compact({"typ": "playback-session+jwt", "alg": "none", "kid": HS.kid}))
    yield "alg none", HS, f"{none}.{b64(compact(claims()))}.", "bad_session", {}
    # The public key as a secret. PyJWT refuses such a secret, so this one is signed by hand.
    for key in (RS, ES):
        public = (KEYS / f"{key.name}.spki.pem").read_bytes()
        header = b64(compact({"typ": "playback-session+jwt", "alg": "HS256", "kid": key.kid}))
        confused = f"{header}.{b64(compact(claims()))}"
        code = b64(hmac.digest(public, confused.encode(), "sha256"))
        yield f"HS256 with the public key of {key.algorithm} as secret", key, f"{confused}.{code}", "bad_session", {}
    for key, signer in ((RS, ES), (ES, RS), (HS, ES)):
        text = sign(signer, claims(), kid=key.kid)
        yield f"{signer.algorithm} under the name of a key of {key.algorithm}", key, text, "bad_session", {}


def signatures_of_es256():
    """Other numbers, and other forms of the same ones, under a text that is signed well."""
    text, _, signature = sign(ES, claims()).rpartition(".")
    data = base64.urlsafe_b64decode(signature + "==")
    r, s = (int.from_bytes(half, "big") for half in (data[:32], data[32:]))
    found = {
        "in DER": encode_dss_signature(r, s),
        "r and s in 33 bytes each": b"\0" + data[:32] + b"\0" + data[32:],
        "s plus the order, in 33 bytes": data[:32] + (s + ORDER).to_bytes(33, "big"),
        "r is 0": pair(0, s), "s is 0": pair(r, 0), "both are 0": bytes(64),
        "r is the order": pair(ORDER, s), "s is the order": pair(r, ORDER),
        "r is above the order": pair(ORDER + 1, s), "both are all ones": b"\xff" * 64,
        "r and s in the other order": pair(s, r), "s without its first byte": data[:32] + data[33:],
    }
    for comment, changed in found.items():
        yield f"ES256, {comment}", ES, f"{text}.{b64(changed)}", "bad_session_signature", {}
    # Good for PyJWT, as RFC 7518 wants it. A second text of a session, which anybody can make of the first.
    high = b64(pair(r, ORDER - s))
    yield "ES256, a high s", ES, f"{text}.{high}", "bad_session_signature", {"forPyJWT": "valid"}


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
    must_agree(key, text, question.pop("forPyJWT", code), question["at"], question["requestor"])
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
