"""Reads and writes Common Access Tokens with pycose and cwt, two implementations that are not ours."""

import base64
import hashlib
import hmac
import json

import cbor2
import cwt
from cryptography.hazmat.primitives import serialization
from pycose.algorithms import Es256, HMAC256
from pycose.headers import KID, Algorithm
from pycose.keys import CoseKey, SymmetricKey
from pycose.messages import CoseMessage, Mac0Message, Sign1Message

WEB_TOKEN_TAG = 61


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A secret, or a key pair on P-256, under the name that this project gives it."""

    def __init__(self, secret=None, pair=None):
        self.pair = pair
        if secret is not None:
            self.algorithm = HMAC256
            self.kid = hmac.digest(secret, b"tve session key", "sha256")[:8].hex()
            self.pycose = SymmetricKey(k=secret)
            self.cwt = cwt.COSEKey.new({1: 4, 3: 5, -1: secret, 2: self.kid.encode()})
        else:
            self.algorithm = Es256
            numbers = pair.public_key().public_numbers()
            point = {name: base64url(getattr(numbers, name).to_bytes(32, "big")) for name in "xy"}
            members = {"crv": "P-256", "kty": "EC", **point}
            self.kid = base64url(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode()).digest())
            pem = pair.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            self.pycose = CoseKey.from_pem_private_key(pem.decode())
            self.cwt = cwt.COSEKey.from_pem(pem, kid=self.kid)

    @classmethod
    def of_file(cls, path):
        """The key of a file as sessions.cat… names it: a private key in PEM, or the bytes of a secret."""
        content = path.read_bytes()
        if content.startswith(b"-----BEGIN"):
            return cls(pair=serialization.load_pem_private_key(content, None))
        return cls(secret=content)

    def sign(self, payload, header=None, unprotected=None):
        """A token as pycose writes it: the COSE structure with its tag, and without the tag of a CBOR Web Token."""
        message = Mac0Message if self.algorithm is HMAC256 else Sign1Message
        header = {Algorithm: self.algorithm} if header is None else header
        unprotected = {KID: self.kid.encode()} if unprotected is None else unprotected
        made = message(phdr=header, uhdr=unprotected, payload=payload)
        made.key = self.pycose
        return made.encode()


def without_tag(token):
    """The token without the tag of a CBOR Web Token around it."""
    value = cbor2.loads(token)
    return cbor2.dumps(value.value) if value.tag == WEB_TOKEN_TAG else token


def payload_of(token, key):
    """What the token says, if both implementations find its signature good; else None."""
    token = without_tag(token)
    message = CoseMessage.decode(token)
    message.key = key.pycose
    is_good = message.verify_tag() if isinstance(message, Mac0Message) else message.verify_signature()
    try:
        payload = cwt.COSE.new().decode(token, key.cwt)
    except (cwt.VerifyError, ValueError):
        payload = None
    if is_good != (payload is not None):
        raise SystemExit("pycose and cwt disagree about a signature")
    if is_good and payload != message.payload:
        raise SystemExit("pycose and cwt read different payloads")
    return payload


def claims_of(text, key):
    """The claims of a token as it is in a URL; raises ValueError if its signature is not good."""
    payload = payload_of(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), key)
    if payload is None:
        raise ValueError("the signature is not good")
    return cbor2.loads(payload)
