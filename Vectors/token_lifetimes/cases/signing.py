"""Builds AuthN and AuthZ tokens: string building and signing, no parsing. Every value in them is invented."""

import base64
import functools
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

KEYS = pathlib.Path(__file__).resolve().parents[2] / "keys"
OPENING = "<signatureInfo>"
CLOSING = "</signatureInfo>"

# 2026-02-15 17:30:00 UTC, with the offset of the US Pacific coast.
DATE = "2026/02/15 09:30:00 GMT -0800"
EXPIRES = 1_771_176_600_000
DEVICE = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"

AUTHN = {
    "simpleTokenAuthenticationGuid": "4f1d7a52-93b0-4c5e-8a6f-2d1c0b9e8f70",
    "simpleTokenRequestorID": "REF30",
    "simpleTokenDomainName": "adobe.com",
    "simpleTokenExpires": DATE,
    "simpleTokenMsoID": "TestMVPD",
    "simpleTokenDeviceID": DEVICE,
}
AUTHZ = {
    "simpleTokenRequestorID": "REF30",
    "simpleTokenResourceID": "TestChannel",
    "simpleTokenTTL": DATE,
    "simpleTokenMsoID": "TestMVPD",
    "simpleTokenDeviceID": DEVICE,
}


def elements(fields):
    return "".join(f"<{name}>{value}</{name}>" for name, value in fields.items() if value is not None)


def authn(extra="", root="simpleAuthenticationToken", **changes):
    """The signed text. A change is the new raw content; None leaves the element out. `extra` goes in at the end."""
    return f"<{root}>{elements(AUTHN | changes)}{extra}</{root}>"


def authz(extra="", root="simpleAuthorizationToken", **changes):
    return f"<{root}>{elements(AUTHZ | changes)}{extra}</{root}>"


def authn_fields(**changes):
    """The expected fields of `authn()`."""
    fields = {"kind": "authentication", "requestor": "REF30", "mvpd": "TestMVPD"}
    return fields | {"expires": EXPIRES, "device": DEVICE} | changes


def authz_fields(**changes):
    fields = {"kind": "authorization", "requestor": "REF30", "mvpd": "TestMVPD", "resource": "TestChannel"}
    return fields | {"expires": EXPIRES, "device": DEVICE} | changes


@functools.cache
def private_key(name):
    return serialization.load_pem_private_key((KEYS / f"test-only-{name}.pkcs8.pem").read_bytes(), None)


def sign(text, key="issuer-2048", digest=None):
    """RSASSA-PKCS1-v1_5, which is deterministic."""
    data = text if isinstance(text, bytes) else text.encode()
    return private_key(key).sign(data, padding.PKCS1v15(), digest or hashes.SHA256())


def assemble(signature, text, second=OPENING):
    return OPENING + base64.b64encode(signature).decode() + second + text


def signed(text, key="issuer-2048", second=OPENING, digest=None):
    """A whole token."""
    return assemble(sign(text, key, digest), text, second)


def escaped(text):
    """As the text of an XML element."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def base64_text(text):
    return base64.b64encode(text.encode()).decode()
