"""Verifies a token with the reference reader and compares the result with the test."""

import reference_tokens

from . import signing as s

ISSUER = ("issuer-2048.spki.pem",)


def add_test(suite, comment, flags, token, keys, stated):
    data = token if isinstance(token, bytes) else token.encode()
    files = [f"test-only-{key}" for key in keys]
    try:
        loaded = reference_tokens.media.load_keys(s.KEYS / file for file in files)
        found = {"result": "valid", "expectedFields": reference_tokens.verify(data, loaded)}
    except reference_tokens.Refusal as refusal:
        found = {"result": "invalid", "expectedError": refusal.code}
    test = {"token": token} if isinstance(token, str) else {"tokenHex": data.hex()}
    suite.add(comment, flags, test | {"keys": files} | stated, None if found == stated else f"{stated}\n found {found}")


def accept(suite, comment, flags, token, fields, keys=ISSUER):
    add_test(suite, comment, flags, token, keys, {"result": "valid", "expectedFields": fields})


def refuse(suite, comment, flags, token, code="malformed", keys=ISSUER):
    add_test(suite, comment, flags, token, keys, {"result": "invalid", "expectedError": code})


def accept_authz(suite, comment, flags, raw, value):
    """The raw content of simpleTokenResourceID, and the resource that a reader finds."""
    accept(suite, comment, flags, s.signed(s.authz(simpleTokenResourceID=raw)), s.authz_fields(resource=value))
