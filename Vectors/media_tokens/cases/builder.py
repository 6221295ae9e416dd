"""Builds tokens: string building and signing, no parsing. Every value in them is invented."""

import base64
import functools
import hashlib
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

KEYS = pathlib.Path(__file__).resolve().parents[2] / "keys"

OPENING = b"<signatureInfo>"
CLOSING = b"</signatureInfo>"

# 2026-01-15 17:30:00 UTC. All instants are relative to this one; no clock is read.
ISSUE_TIME = "2026-01-15 09:30:00 -0800"
ISSUED = 1_768_498_200_000
TTL = 420_000
EXPIRES = ISSUED + TTL
NOW = ISSUED + 60_000

FIELDS = {
    "sessionGUID": "5f2b8c0de1a94736b0c2d4e6f8091a2b",
    "requestorID": "REF30",
    "resourceID": "TestChannel",
    "ttl": "420000",
    "issueTime": ISSUE_TIME,
    "mvpdId": "TestMVPD",
}


def elements(**changes):
    """The child elements as on the wire. A change is the new raw XML content; None leaves the element out."""
    fields = FIELDS | changes
    return "".join(f"<{name}>{value}</{name}>" for name, value in fields.items() if value is not None)


def body(root="authToken", extra="", **changes):
    """The signed text. `extra` goes in before the root's end tag."""
    return f"<{root}>{elements(**changes)}{extra}</{root}>"


def claims(issued=ISSUED, ttl=TTL, **changes):
    """What a verifier must report for `body()` with the same changes, as parsed values."""
    parsed = {name: FIELDS[name] for name in ("sessionGUID", "requestorID", "resourceID")}
    parsed |= {"ttl": ttl, "issued": issued, "expires": issued + ttl, "mvpdId": FIELDS["mvpdId"]}
    return parsed | changes


# --- Signing ------------------------------------------------------------------------------------------------


@functools.cache
def private_key(name):
    return serialization.load_pem_private_key((KEYS / f"test-only-{name}.pkcs8.pem").read_bytes(), None)


def private_key_in_bad(name):
    """Keys of kinds that must never verify a token."""
    return serialization.load_pem_private_key((KEYS / "bad" / f"test-only-{name}.pkcs8.pem").read_bytes(), None)


@functools.cache
def rsa_numbers(name):
    """n, e, d, and the length of a signature in bytes."""
    private = private_key(name).private_numbers()
    public = private.public_numbers
    return public.n, public.e, private.d, (public.n.bit_length() + 7) // 8


def bytes_of(text):
    return text if isinstance(text, bytes) else text.encode()


def sign(text, key="issuer-2048", digest=None):
    """RSASSA-PKCS1-v1_5, which is deterministic."""
    return private_key(key).sign(bytes_of(text), padding.PKCS1v15(), digest or hashes.SHA256())


def sign_encoded(encoded, key="issuer-2048"):
    """The private operation on a whole encoded message, right or wrong, given as bytes."""
    n, _, d, length = rsa_numbers(key)
    return pow(int.from_bytes(encoded, "big"), d, n).to_bytes(length, "big")


def base64_text(data):
    return base64.b64encode(data)


def assemble(signature_text, text, second=OPENING):
    """A token from its parts, as they are."""
    return OPENING + bytes_of(signature_text) + second + bytes_of(text)


def token(text, key="issuer-2048", second=OPENING, signature=None, digest=None):
    """A whole token. `signature` (bytes) replaces the right one."""
    if signature is None:
        signature = sign(text, key, digest)
    return assemble(base64_text(signature), text, second)


def search(make, wanted):
    """The first of make(0), make(1), … that has a property which only some signatures have."""
    return next(made for made in map(make, range(10_000)) if wanted(made))


def numbered_body(number):
    """Bodies that differ in their session only."""
    return body(sessionGUID=hashlib.md5(f"session {number}".encode()).hexdigest())


def numbered_claims(text):
    """The claims of a numbered body: the session is at a fixed place."""
    start = len("<authToken><sessionGUID>")
    return claims(sessionGUID=text[start : start + 32])


# --- Outer forms --------------------------------------------------------------------------------------------


def standard(data):
    return base64.b64encode(data)


def url_safe(data):
    return base64.urlsafe_b64encode(data)


def unpadded(data):
    return data.rstrip(b"=")


def wrapped(data, width=64, newline=b"\n"):
    lines = [data[start : start + width] for start in range(0, len(data), width)]
    return newline.join(lines) + newline


def plus_lost(data):
    """Base64 that was put into a query unescaped, after a form decoder has read it."""
    assert b"+" in data, "this token's Base64 has no + to lose"
    return data.replace(b"+", b" ")


UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def percent(data, keep=b"", hex_format="%{:02X}"):
    """Percent-encoding of everything outside the unreserved set and `keep`."""
    kept = UNRESERVED + keep
    return b"".join(bytes([byte]) if byte in kept else hex_format.format(byte).encode() for byte in data)


def form(data):
    """application/x-www-form-urlencoded: a space becomes +, a + becomes %2B."""
    return percent(data).replace(b"%20", b"+")
