"""JSON Web Tokens, good and bad, and the answer of a verifier that trusts one key."""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes

from . import signing
from .service_tokens import ISSUED
from .suite import Suite

NOW = (ISSUED + 60) * 1000
EXPIRES = ISSUED + 300
HEADER = '{"alg":"RS256","typ":"JWT","kid":"2026-01"}'
CLAIMS = {
    "iss": "programmer", "sub": "REF30", "aud": "broker", "iat": ISSUED, "exp": EXPIRES, "jti": "one",
}
# Codes of checks before the signature.
UNREAD = {"malformed", "too_large", "unsupported_algorithm", "empty_expectation"}


def claims(**changes):
    return json.dumps({name: value for name, value in (CLAIMS | changes).items() if value is not ...})


def compact(payload=None, header=HEADER, signature=None, signed_with=signing.sign, parts=None):
    """A token from the texts of its parts; `parts` are already encoded header and payload."""
    payload = claims() if payload is None else payload
    encoded = parts or (signing.base64_url(header), signing.base64_url(payload))
    signed = ".".join(encoded)
    signature = signed_with(signed) if signature is None else signature
    return f"{signed}.{signing.base64_url(signature)}"


def suite():
    suite = Suite("JSONWebToken")
    suite.group("JSONWebTokenVerify", keys=["test-only-issuer-2048.spki.pem"])
    good(suite)
    algorithms(suite)
    signatures(suite)
    encoding(suite)
    headers(suite)
    payloads(suite)
    types(suite)
    times(suite)
    expectations(suite)
    order(suite)
    suite.group("JSONWebTokenVerify", keys=["test-only-other-2048.spki.pem", "test-only-issuer-2048.cert-v1.pem"])
    accept(suite, "two trusted keys, a certificate is the one", "Valid", compact())
    suite.group("JSONWebTokenVerify", keys=["test-only-other-2048.spki.pem"])
    refuse(suite, "trusted is another key", "BadSignature", compact(), "bad_signature")
    return suite


def good(suite):
    accept(suite, "a service token", "Valid", compact())
    accept(suite, "white space in the JSON", "Valid", compact(json.dumps(CLAIMS, indent=2) + "\r\n\t "))
    accept(suite, "escapes in names and texts", "Valid",
           compact(claims().replace('"iss"', '"\\u0069ss"').replace('"REF30"', '"REF\\u0033\\u0030"')))
    accept(suite, "an escaped pair of surrogates", "Valid", compact(claims(x="\U0001f4fa")))
    accept(suite, "a header with alg alone", "Valid", compact(header='{"alg":"RS256"}'), kind="jwt")
    accept(suite, "members that nobody knows", "Valid", compact(claims(x={"y": [1.5, None, True, 10**30]})))
    statement = '{"sub":"0f2c","nbf":%d,"iss":"broker.example","iat":%d}' % (ISSUED, ISSUED)
    accept(suite, "a software statement without exp", "Valid", compact(statement), kind="statement",
           subject=None, issuer=["broker.example"], audience=None)
    refuse(suite, "a software statement where exp is required", "Time", compact(statement), "missing_claim",
           kind="jwt", subject=None, issuer=["broker.example"], audience=None)
    access = '{"sub":"x","nbf":%d,"iat":%d,"exp":%d,"iss":"broker.example","scopes":"config:client,api:client:v2"}' % (
        ISSUED, ISSUED, ISSUED + 21_600)
    accept(suite, "an access token, scopes between commas", "Valid", compact(access, '{"alg":"RS256"}'), kind="jwt",
           subject=None, issuer=["broker.example"], audience=None)
    accept(suite, "scope between spaces", "Valid", compact(claims(scope="a b  c")))
    accept(suite, "scopes as a list", "Valid", compact(claims(scopes=["a", "b"])))


def algorithms(suite):
    def hs256(signed):
        return hmac.new(signing.public_pem("issuer-2048"), signed.encode(), hashlib.sha256).digest()

    def sha(digest):
        return lambda signed: signing.sign(signed, digest=digest)

    none = "AlgorithmConfusion"
    cases = [
        ("none and no signature", "none", b""), ("None and no signature", "None", b""),
        ("NONE with a good signature", "NONE", None), ("HS256 with the public key as its secret", "HS256", hs256),
        ("HS256 with a good RSA signature", "HS256", None), ("RS384", "RS384", sha(hashes.SHA384())),
        ("RS512", "RS512", sha(hashes.SHA512())), ("PS256", "PS256", signing.sign_pss),
        ("ES256 with a good RSA signature", "ES256", None), ("RS1", "RS1", sha(hashes.SHA1())),
        ("lowercase rs256", "rs256", None), ("RS256 and a space", "RS256 ", None), ("RS256 and NUL", "RS256\0", None),
        ("an empty name", "", None), ("a long name", "R" * 500, None), ("EdDSA", "EdDSA", None),
        ("full-width RS256", "\uff32\uff33256", None),
    ]
    for comment, name, signature in cases:
        header = json.dumps({"alg": name, "typ": "JWT"})
        with_ = {"signed_with": signature} if callable(signature) else {"signature": signature}
        refuse(suite, comment, none, compact(header=header, **with_), "unsupported_algorithm")
    for comment, header in {
        "alg is missing": '{"typ":"JWT"}', "alg is null": '{"alg":null}', "alg is a number": '{"alg":256}',
        "alg is a list": '{"alg":["RS256"]}', "alg in another case": '{"ALG":"RS256"}',
    }.items():
        refuse(suite, comment, none, compact(header=header), "malformed")
    refuse(suite, "RS256 says the header, SHA-512 the signature", none,
           compact(signed_with=sha(hashes.SHA512())), "bad_signature")
    refuse(suite, "RS256 says the header, PSS the signature", none,
           compact(signed_with=signing.sign_pss), "bad_signature")
    refuse(suite, "RS256 says the header, HMAC the signature", none, compact(signed_with=hs256), "bad_signature")


def signatures(suite):
    token = compact()
    header, payload, signature = token.split(".")
    data = base64.urlsafe_b64decode(signature + "==")
    other = signing.base64_url(claims(sub="OTHER"))
    short_header = signing.base64_url('{"alg":"RS256"}')
    for comment, text in {
        "no signature": f"{header}.{payload}.",
        "a bit flipped": f"{header}.{payload}.{signing.base64_url(data[:-1] + bytes([data[-1] ^ 1]))}",
        "an octet missing": f"{header}.{payload}.{signing.base64_url(data[:-1])}",
        "an octet more": f"{header}.{payload}.{signing.base64_url(data + bytes(1))}",
        "a leading zero octet more": f"{header}.{payload}.{signing.base64_url(bytes(1) + data)}",
        "all zeros": f"{header}.{payload}.{signing.base64_url(bytes(256))}",
        "the payload exchanged": f"{header}.{other}.{signature}",
        "the header exchanged": f"{short_header}.{payload}.{signature}",
        "another key": compact(signed_with=lambda signed: signing.sign(signed, "other-2048")),
        "a key that the header brings along": compact(
            header='{"alg":"RS256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}',
            signed_with=lambda signed: signing.sign(signed, "other-2048")),
        "a key that the header points to": compact(
            header='{"alg":"RS256","jku":"https://keys.example","kid":"../../x"}',
            signed_with=lambda signed: signing.sign(signed, "other-2048")),
        "the payload alone is signed": f"{header}.{payload}.{signing.base64_url(signing.sign(payload))}",
        "the undecoded claims are signed": f"{header}.{payload}.{signing.base64_url(signing.sign(claims()))}",
    }.items():
        refuse(suite, comment, "BadSignature", text, "bad_signature")


def encoding(suite):
    header, payload, signature = compact().split(".")
    # Lengths that leave unused bits; the text is signed unchanged, so only a strict decoder refuses it.
    odd_header, odd_payload = HEADER + " " * (-len(HEADER) % 3 + 1), claims() + " " * (-len(claims()) % 3 + 1)
    bent_header = signing.with_trailing_bit(signing.base64_url(odd_header))
    bent_payload = signing.with_trailing_bit(signing.base64_url(odd_payload))
    standard = base64.b64encode(claims(x="\u00ff\u00fe??>>~~").encode()).decode().rstrip("=")
    assert "+" in standard or "/" in standard
    cases = {
        "nothing": "", "a dot": ".", "two dots": "..", "one part": header, "two parts": f"{header}.{payload}",
        "four parts": f"{header}.{payload}.{signature}.", "five parts, as an encrypted token": f"{header}.a.b.c.d",
        "six parts": "a.b.c.d.e.f",
        "an empty header": f".{payload}.{signature}", "an empty payload": compact(""),
        "trailing bits in the signature": f"{header}.{payload}.{signing.with_trailing_bit(signature)}",
        "trailing bits in the payload, signed": compact(parts=(header, bent_payload)),
        "trailing bits in the header, signed": compact(parts=(bent_header, payload)),
        "padding behind the signature": f"{header}.{payload}.{signature}==",
        "padding behind the payload, signed": compact(parts=(header, signing.base64_url(odd_payload) + "==")),
        "standard alphabet in the signature": f"{header}.{payload}." + signature.replace("-", "+").replace("_", "/"),
        "standard alphabet in the payload, signed": compact(parts=(header, standard)),
        "one symbol too many": f"{header}.{payload}.{signature[:-1]}",
        "a line feed at the end": f"{header}.{payload}.{signature}\n",
        "a space before": f" {header}.{payload}.{signature}",
        "Bearer before": f"Bearer {header}.{payload}.{signature}",
        "a line feed inside": f"{header}.{payload[:20]}\n{payload[20:]}.{signature}",
        "NUL at the end": f"{header}.{payload}.{signature}\0",
        "quotes around": f'"{header}.{payload}.{signature}"',
        "not ASCII": f"{header}.{payload}.{signature}\u00e9",
        "JSON serialisation": json.dumps({"protected": header, "payload": payload, "signature": signature}),
        "a media token": "<signatureInfo>AAAA<signatureInfo><authToken></authToken>",
    }
    for comment, text in cases.items():
        refuse(suite, comment, "Base64Form" if "bits" in comment or "padding" in comment else "MalformedToken", text,
               "malformed")
    refuse(suite, "65537 octets", "Limits", "A" * 65_537, "too_large")
    refuse(suite, "65536 octets are read", "Limits", "A" * 65_536, "malformed")


def headers(suite):
    for comment, header in {
        "two alg, the good one first": '{"alg":"RS256","alg":"none"}',
        "two alg, the good one last": '{"alg":"none","alg":"RS256"}',
        "two alg, one with an escape": '{"alg":"RS256","\\u0061lg":"RS256"}',
        "two kid": '{"alg":"RS256","kid":"a","kid":"b"}',
        "two members further in": '{"alg":"RS256","x":{"y":1,"y":1}}',
    }.items():
        refuse(suite, f"header: {comment}", "DuplicateMember", compact(header=header), "malformed")
    for comment, header in {
        "a list": '["RS256"]', "a string": '"RS256"', "no JSON": "RS256", "single quotes": "{'alg':'RS256'}",
        "kid is a number": '{"alg":"RS256","kid":1}', "crit": '{"alg":"RS256","crit":["b64"],"b64":false}',
        "an empty crit": '{"alg":"RS256","crit":[]}', "text behind": '{"alg":"RS256"}x',
        "a comma at the end": '{"alg":"RS256",}', "a byte order mark": '\ufeff{"alg":"RS256"}',
        "a comment": '{"alg":"RS256"/**/}', "NUL": '{"alg":"RS256"}\0', "not UTF-8": b'{"alg":"RS256","x":"\xff"}',
        "half a surrogate pair": '{"alg":"RS256","x":"\\ud800"}',
        "65 levels": '{"alg":"RS256","x":' + "[" * 65 + "]" * 65 + "}",
    }.items():
        refuse(suite, f"header: {comment}", "MalformedToken", compact(header=header), "malformed")


def payloads(suite):
    for comment, payload in {
        "two exp, the good one first": claims()[:-1] + ', "exp": 1}',
        "two exp, the good one last": '{"exp": 1, ' + claims()[1:],
        "two exp, one with an escape": claims()[:-1] + ', "\\u0065xp": 1}',
        "two of a member that nobody knows": claims()[:-1] + ', "x": 1, "x": 1}',
        "two further in": claims()[:-1] + ', "x": {"y": {"z": 1, "z": 2}}}',
        "two in an object of a list": claims()[:-1] + ', "x": [{"y": 1, "y": 2}]}',
    }.items():
        refuse(suite, f"payload: {comment}", "DuplicateMember", compact(payload), "malformed")
    accept(suite, "payload: names that are equal by canonical equivalence are two", "Unicode",
           compact(claims(**{"caf\u00e9": 1, "cafe\u0301": 2})))
    for comment, payload in {
        "a list": f"[{claims()}]", "a string": '"x"', "null": "null", "no JSON": "iss=programmer",
        "text behind": claims() + "x", "cut off": claims()[:-1], "NaN": claims()[:-1] + ', "x": NaN}',
        "a number with a leading zero": claims()[:-1] + ', "x": 01}', "a plus sign": claims()[:-1] + ', "x": +1}',
        "a point without digits": claims()[:-1] + ', "x": 1.}', "a comma at the end": claims()[:-1] + ",}",
        "a line feed inside a string": claims()[:-1] + ', "x": "a\nb"}',
        "an unknown escape": claims()[:-1] + ', "x": "\\x41"}', "half a surrogate pair": claims(x="\ud800"),
        "the low half alone": claims(x="\udc00"), "not UTF-8": claims().encode()[:-1] + b', "x": "\xc3"}',
        "an overlong form": claims().encode()[:-1] + b', "x": "\xc0\xaf"}', "a byte order mark": "\ufeff" + claims(),
        "NUL behind": claims() + "\0",
    }.items():
        refuse(suite, f"payload: {comment}", "MalformedToken", compact(payload), "malformed")
    refuse(suite, "payload: 65 levels", "Limits", compact(claims()[:-1] + ', "x":' + "[" * 64 + "]" * 64 + "}"),
           "malformed")
    accept(suite, "payload: 64 levels", "Limits", compact(claims()[:-1] + ', "x":' + "[" * 63 + "]" * 63 + "}"))
    refuse(suite, "payload: 20000 levels", "Limits", compact(claims()[:-1] + ', "x":' + "[" * 20_000), "malformed")


def types(suite):
    for name, value in [
        ("iss", 1), ("iss", None), ("iss", ["programmer"]), ("sub", True), ("sub", {}), ("aud", 1), ("aud", None),
        ("aud", {"a": "broker"}), ("aud", ["broker", 1]), ("aud", [["broker"]]), ("jti", 1), ("scopes", 1),
        ("scopes", ["a", 1]), ("exp", "2026"), ("exp", str(EXPIRES)), ("exp", None), ("exp", True), ("exp", [EXPIRES]),
        ("exp", -1), ("exp", EXPIRES * 1000), ("exp", 2**63 - 1), ("exp", 2**63), ("exp", 10**400),
        ("iat", str(ISSUED)), ("iat", NOW), ("nbf", {}), ("nbf", NOW),
    ]:
        refuse(suite, f"{name} is {str(value)[:30]!r}" + (" as text" if isinstance(value, str) else ""), "ClaimType",
               compact(claims(**{name: value})), "malformed")
    refuse(suite, "exp with an exponent", "ClaimType",
           compact(claims().replace(str(EXPIRES), "2e9")), "malformed")
    for name in CLAIMS:
        refuse(suite, f"a service token without {name}", "ClaimType", compact(claims(**{name: ...})), "missing_claim",
               issuer=None, subject=None, audience=None)
    accept(suite, "another token without jti", "Valid", compact(claims(jti=...)), kind="jwt")
    accept(suite, "another token without iat", "Valid", compact(claims(iat=...)), kind="jwt")


def times(suite):
    end, start = EXPIRES * 1000, ISSUED * 1000
    accept(suite, "a millisecond before exp", "Time", compact(), at=end - 1)
    refuse(suite, "at exp", "Time", compact(), "expired", at=end)
    refuse(suite, "a millisecond after exp", "Time", compact(), "expired", at=end + 1)
    accept(suite, "leeway: a millisecond before its end", "Time", compact(), at=end + 29_999, leeway=30_000)
    refuse(suite, "leeway: at its end", "Time", compact(), "expired", at=end + 30_000, leeway=30_000)
    accept(suite, "iat as far in the future as tolerated", "Time", compact(), at=start - 60_000)
    refuse(suite, "iat a millisecond further", "Time", compact(), "not_yet_valid", at=start - 60_001)
    later = compact(claims(nbf=ISSUED + 120))
    accept(suite, "nbf as far in the future as tolerated", "Time", later, at=start + 60_000)
    refuse(suite, "nbf a millisecond further", "Time", later, "not_yet_valid", at=start + 59_999)
    refuse(suite, "exp before iat, after both", "Time", compact(claims(exp=ISSUED - 1)), "expired")
    refuse(suite, "exp is 0", "Time", compact(claims(exp=0)), "expired")
    accept(suite, "exp at the end of the year 9999", "Time", compact(claims(exp=253_402_300_799)))
    refuse(suite, "exp in the year 10000", "Time", compact(claims(exp=253_402_300_800)), "malformed")
    decimals = compact(claims().replace(str(EXPIRES), f"{EXPIRES}.2509"))
    accept(suite, "exp with decimals, cut to milliseconds: before", "Time", decimals, at=end + 249)
    refuse(suite, "exp with decimals, cut to milliseconds: at", "Time", decimals, "expired", at=end + 250)
    accept(suite, "one decimal is a tenth", "Time", compact(claims().replace(str(EXPIRES), f"{EXPIRES}.5")),
           at=end + 499)
    refuse(suite, "the first representable instant", "Time", compact(), "not_yet_valid", at=-(2**63))
    refuse(suite, "the last representable instant", "Time", compact(), "expired", at=2**63 - 1, leeway=600_000)


def expectations(suite):
    several = compact(claims(aud=["x", "broker"]))
    accept(suite, "one of the token's audiences", "Expectation", several)
    accept(suite, "one of the accepted audiences", "Expectation", compact(), audience=["y", "broker"])
    accept(suite, "nothing is checked", "Expectation", compact(), issuer=None, subject=None, audience=None)
    refuse(suite, "none of the token's audiences", "Expectation", several, "mismatch", audience=["y"])
    refuse(suite, "an empty list of audiences", "Expectation", compact(claims(aud=[])), "mismatch")
    refuse(suite, "no audience", "Expectation", compact(claims(aud=...)), "mismatch", kind="jwt")
    refuse(suite, "no issuer", "Expectation", compact(claims(iss=...)), "mismatch", kind="jwt")
    refuse(suite, "no subject", "Expectation", compact(claims(sub=...)), "mismatch", kind="jwt")
    for name, value in [
        ("iss", "Programmer"), ("iss", "programmer "), ("iss", "programme"), ("iss", ""), ("iss", "programmer\0"),
        ("sub", "REF31"), ("sub", "\uff32EF30"), ("aud", "broker.example"), ("aud", "BROKER"),
    ]:
        refuse(suite, f"{name} is {value!a}", "Expectation", compact(claims(**{name: value})), "mismatch")
    refuse(suite, "another normal form", "Unicode Expectation", compact(claims(iss="caf\u00e9")), "mismatch",
           issuer=["cafe\u0301"])
    for name in ["issuer", "subject", "audience"]:
        refuse(suite, f"an empty text is expected: {name}", "Expectation", compact(), "empty_expectation", **{name: [""]})
        refuse(suite, f"an empty list is expected: {name}", "Expectation", compact(), "empty_expectation", **{name: []})


def order(suite):
    """The first failing check is the answer."""
    expired = claims(exp=1)
    forged = {"signed_with": lambda signed: signing.sign(signed, "other-2048")}
    refuse(suite, "forged and expired", "BadSignature", compact(expired, **forged), "bad_signature")
    refuse(suite, "forged, and the payload is no JSON", "BadSignature", compact("x", **forged), "bad_signature")
    refuse(suite, "forged, and exp twice", "BadSignature", compact('{"exp":1,"exp":2}', **forged), "bad_signature")
    refuse(suite, "expired and for another audience", "Time", compact(claims(exp=1, aud="x")), "expired")
    refuse(suite, "for another issuer and another audience", "Expectation", compact(claims(iss="x", aud="y")),
           "mismatch")


def accept(suite, comment, flags, token, **options):
    payload = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    add(suite, comment, flags, token, "valid", expected_claims(payload), **options)


def refuse(suite, comment, flags, token, code, **options):
    add(suite, comment, flags, token, code, None, **options)


def add(suite, comment, flags, token, code, expected, *, kind="service", at=NOW, leeway=0,
        issuer=("programmer",), subject=("REF30",), audience=("broker",)):
    keys = suite.groups[-1]["keys"]
    if code not in UNREAD or code == "valid":
        assert is_signed(token, keys) == (code != "bad_signature"), comment
    members = token_members(token) | {"kind": kind, "at": at, "leeway": leeway}
    for name, value in [("issuer", issuer), ("subject", subject), ("audience", audience)]:
        members[name] = None if value is None else list(value)
    members |= {"result": "valid" if code == "valid" else "invalid", "expectedCode": code}
    if expected is not None:
        members["expectedClaims"] = expected
    suite.add(comment, flags, **members)


def token_members(token):
    """Very long tokens of one symbol are written as a symbol and its count."""
    if len(token) > 60_000 and len(set(token)) == 1:
        return {"token": token[0], "repeat": len(token)}
    return {"token": token}


def is_signed(token, keys):
    """What `cryptography` says about the signature; the token's own header does not matter."""
    signed, _, signature = token.rpartition(".")
    data = base64.urlsafe_b64decode(signature + "==")
    names = [key.removeprefix("test-only-").split(".")[0] for key in keys]
    return any(signing.verifies(data, signed, name) for name in names)


def expected_claims(payload):
    def date(name):
        return int(float(payload[name]) * 1000) if name in payload else None

    audience = payload.get("aud", [])
    scopes = payload.get("scopes", payload.get("scope", []))
    return {
        "issuer": payload.get("iss"), "subject": payload.get("sub"),
        "audience": [audience] if isinstance(audience, str) else audience,
        "issued": date("iat"), "notBefore": date("nbf"), "expires": date("exp"), "tokenID": payload.get("jti"),
        "scopes": scopes.replace(",", " ").split() if isinstance(scopes, str) else scopes,
    }
