"""Signs with Python's cryptography. Every value is invented."""

import base64
import functools
import hashlib
import hmac
import pathlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

KEYS = pathlib.Path(__file__).resolve().parents[2] / "keys"


def bytes_of(text):
    return text if isinstance(text, bytes) else text.encode()


@functools.cache
def private_key(name):
    return serialization.load_pem_private_key((KEYS / f"test-only-{name}.pkcs8.pem").read_bytes(), None)


def public_pem(name):
    return (KEYS / f"test-only-{name}.spki.pem").read_bytes()


def sign(text, key="issuer-2048", digest=None):
    """RSASSA-PKCS1-v1_5, which is deterministic."""
    return private_key(key).sign(bytes_of(text), padding.PKCS1v15(), digest or hashes.SHA256())


def sign_pss(text, key="issuer-2048"):
    """RSASSA-PSS without salt, which is deterministic too."""
    return private_key(key).sign(bytes_of(text), padding.PSS(padding.MGF1(hashes.SHA256()), 0), hashes.SHA256())


def verifies(signature, text, key, digest=None):
    try:
        private_key(key).public_key().verify(
            signature, bytes_of(text), padding.PKCS1v15(), digest or hashes.SHA256()
        )
        return True
    except InvalidSignature:
        return False


def hmac_sha1(secret, text):
    return hmac.new(bytes_of(secret), bytes_of(text), hashlib.sha1).digest()


def base64_line(data):
    return base64.b64encode(data).decode()


def base64_lines(data, length=76, end="\n"):
    """Lines as Android's default flag made them."""
    text = base64_line(data)
    return "".join(text[start : start + length] + end for start in range(0, len(text), length))


def base64_url(data):
    return base64.urlsafe_b64encode(bytes_of(data)).rstrip(b"=").decode()


def with_trailing_bit(symbols):
    """The same bytes in another spelling: an unused bit of the last symbol is set."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert len(symbols) % 4 in (2, 3), "no unused bits"
    return symbols[:-1] + alphabet[alphabet.index(symbols[-1]) ^ 1]
