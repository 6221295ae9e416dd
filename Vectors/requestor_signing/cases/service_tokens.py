"""Service tokens, byte by byte: the same claims at the same instant are the same token."""

from . import signing
from .suite import Suite

# 2026-01-15 17:30:00 UTC.
ISSUED = 1_768_498_200


def json_text(value):
    """Members in their order, no white space, one spelling for each string."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json_text(name)}:{json_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(map(symbol, value)) + '"'
    # Before the numbers, because True and False are numbers in Python.
    for constant, word in [(True, "true"), (False, "false"), (None, "null")]:
        if value is constant:
            return word
    return str(value)


def symbol(character):
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if character in short:
        return short[character]
    return f"\\u{ord(character):04x}" if ord(character) < 0x20 or character == "\x7f" else character


def token(header, payload, key="issuer-2048"):
    signed = f"{signing.base64_url(json_text(header))}.{signing.base64_url(json_text(payload))}"
    return f"{signed}.{signing.base64_url(signing.sign(signed, key))}"


def suite():
    suite = Suite("ServiceToken")
    for key in ["issuer-2048", "issuer-3072", "issuer-4096", "issuer-1024"]:
        suite.group("ServiceTokenSign", key=f"test-only-{key}.pkcs8.pem", publicKey=f"test-only-{key}.spki.pem")
        add(suite, f"plain, {key}", key)
        if key == "issuer-2048":
            more(suite, key)
    return suite


def more(suite, key):
    for comment, changes in {
        "several audiences": {"audience": ["broker", "https://api.example"]},
        "a URL as issuer": {"issuer": "https://programmer.example/sign"},
        "milliseconds are dropped": {"at": ISSUED * 1000 + 999},
        "one second of lifetime": {"lifetime": 1},
        "366 days of lifetime": {"lifetime": 366 * 86_400},
        "signed at the start of 1970": {"at": 0},
        "another key ID": {"key_id": "rotation/2026-01 \u00e9"},
        "not ASCII": {"subject": "caf\u00e9 \u653e\u9001 \U0001f4fa", "token_id": "\u00fc"},
        "quotes and backslashes": {"subject": 'a"b\\c/d'},
        "no extra claims beside an inner space": {"issuer": "Test Brand"},
    }.items():
        add(suite, comment, key, **changes)
    for comment, extra in {
        "a string": {"tier": "gold"},
        "an empty string": {"tier": ""},
        "numbers at the ends of 64 bits": {"a": 2**63 - 1, "b": -(2**63), "c": 0, "d": -1},
        "truth values and null": {"yes": True, "no": False, "none": None},
        "an empty list and an empty object": {"list": [], "object": {}},
        "nested": {"device": {"id": 5, "kinds": ["tv", {"x": [True, None]}]}, "z": 1},
        "order is kept, not sorted": {"z": 1, "a": 2, "m": 3},
        "controls are escaped": {"text": "\0\x01\b\f\n\r\t\x1b\x1f\x7f"},
        "separators and C1 controls are not": {"text": "\u0085\u2028\u2029\ufeff"},
        "names that are equal by canonical equivalence": {"caf\u00e9": 1, "cafe\u0301": 2},
        "names with quotes": {'a"b': 1, "\n": 2},
        "nbf is an extra claim like others": {"nbf": ISSUED - 10},
        "registered names in other cases": {"ISS": "x", "Exp": 1},
        "registered names further in": {"act": {"sub": "someone", "exp": 1}},
        "long text": {"text": "0123456789" * 1000},
    }.items():
        add(suite, f"extra claims: {comment}", key, extra=extra)


def add(
    suite, comment, key, issuer="programmer", subject="REF30", audience=("broker",), lifetime=300,
    at=ISSUED * 1000, key_id="2026-01", token_id="2f1e0c52-9a0b-4c3d-8e4f-5a6b7c8d9e0f", extra=None,
):
    audience = list(audience)
    payload = {
        "iss": issuer, "sub": subject, "aud": audience[0] if len(audience) == 1 else audience,
        "iat": at // 1000, "exp": at // 1000 + lifetime, "jti": token_id,
    } | (extra or {})
    made = token({"alg": "RS256", "typ": "JWT", "kid": key_id}, payload, key)
    suite.add(
        comment, "LegacyKey" if key == "issuer-1024" else "Valid", issuer=issuer, subject=subject, audience=audience,
        lifetime=lifetime * 1000, at=at, keyID=key_id, tokenID=token_id, extra=json_text(extra or {}),
        result="valid", expectedToken=made,
    )
