"""The signature: the keys, its value, its hash, its scheme, and that it comes before every field."""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding

from . import builder as b

BODY = b.body()
SIGNATURE = b.sign(BODY)
TOKEN = b.token(BODY)
DIGEST = hashlib.sha256(BODY.encode()).digest()
LENGTH = 256


def add(suite):
    add_keys(suite)
    add_values(suite)
    add_ranges(suite)
    add_hashes(suite)
    add_schemes(suite)
    add_check_order(suite)


def refuse(suite, comment, flags, signature, text=BODY, **options):
    suite.add(comment, flags, b.token(text, signature=signature), "bad_signature", **options)


def add_keys(suite):
    flags = "KeySet"
    for key in ["issuer-3072", "issuer-8192", "issuer-1025", "issuer-2048-e3", "issuer-2048-e32bits"]:
        suite.accept(f"signed by {key}", flags, b.token(BODY, key), keys=(f"{key}.spki.pem",))
    five = tuple(f"{key}.spki.pem" for key in ["other-2048", "issuer-1024", "issuer-3072", "issuer-4096"])
    suite.accept("five keys, the right one last", flags, TOKEN, keys=(*five, "issuer-2048.spki.pem"))
    suite.accept("five keys, the right one first", flags, TOKEN, keys=("issuer-2048.spki.pem", *five))
    suite.accept("five keys in one file, the right one last", flags, TOKEN, keys=("bundle-five.pem",))
    suite.add("four keys, none of them right", flags, TOKEN, "bad_signature", keys=five)
    suite.accept("signed by another key of the set", flags, b.token(BODY, "issuer-1024"), keys=("bundle-five.pem",))
    endings = ["cert-v3.pem", "cert-v3.der", "cert-v1.pem", "cert-v1.der", "pkcs1-public.pem", "pkcs1-public.der"]
    endings += ["spki.der", "cert-expired.pem", "cert-not-yet-valid.pem", "cert-sha1.pem", "cert-self-signed-ca.pem"]
    for ending in endings:
        suite.accept(f"key from issuer-2048.{ending}", flags, TOKEN, keys=(f"issuer-2048.{ending}",))
    suite.accept("bundle with text noise and CR LF", flags, TOKEN, keys=("bundle-noise-crlf.pem",))
    signed_by_ca = b.token(BODY, "ca-2048")
    for file in ["ca-and-leaf.pem", "leaf-and-ca.pem"]:
        suite.accept(f"{file}: signed by the leaf's key", flags, TOKEN, keys=(file,))
        comment = f"{file}: signed by the CA, which is no issuer of tokens"
        suite.add(comment, flags, signed_by_ca, "bad_signature", keys=(file,))
    for key in ["other-2048", "issuer-1024", "issuer-4096", "issuer-2048-e3"]:
        suite.add(f"signed by {key}, which is not trusted", flags, b.token(BODY, key), "bad_signature")


def add_values(suite):
    flags = "SignatureValue"

    def flipped(index, mask):
        changed = bytearray(SIGNATURE)
        changed[index] ^= mask
        return bytes(changed)

    values = {
        "off by one bit: the lowest": flipped(-1, 1),
        "off by one bit: the highest": flipped(0, 0x80),
        "off by one bit: in the middle": flipped(128, 0x10),
        "last octet missing": SIGNATURE[:-1],
        "first octet missing": SIGNATURE[1:],
        "last octet doubled": SIGNATURE + SIGNATURE[-1:],
        "zero octet behind": SIGNATURE + b"\x00",
        "zero octet in front": b"\x00" + SIGNATURE,
        "256 octets behind": SIGNATURE + SIGNATURE,
        "first half": SIGNATURE[:128],
        "one octet": b"\x01",
        "octets reversed": SIGNATURE[::-1],
        "all zero": bytes(LENGTH),
        "all FF": b"\xff" * LENGTH,
        "in a DER bit string": bytes.fromhex("0382010100") + SIGNATURE,
        "in a DER octet string": bytes.fromhex("04820100") + SIGNATURE,
        "of another token of the same key": b.sign(b.body(resourceID="OtherChannel")),
    }
    for comment, value in values.items():
        refuse(suite, f"signature value: {comment}", flags, value)
    leading = b.search(b.numbered_body, lambda text: b.sign(text)[0] == 0)
    claims = b.numbered_claims(leading)
    suite.accept("signature value starts with a zero octet", flags, b.token(leading), claims)
    comment = "signature value: its leading zero octet dropped"
    refuse(suite, comment, flags, b.sign(leading)[1:], leading)


def add_ranges(suite):
    flags = "SignatureValue"
    n = b.rsa_numbers("issuer-2048")[0]
    s = int.from_bytes(SIGNATURE, "big")
    numbers = {"1": 1, "2": 2, "n": n, "n - 1": n - 1, "n + 1": n + 1, "n - s": n - s}
    for comment, number in numbers.items():
        refuse(suite, f"signature value: {comment}", flags, number.to_bytes(LENGTH, "big"))
    refuse(suite, "signature value: s + n in one octet more", flags, (s + n).to_bytes(LENGTH + 1, "big"))
    small = b.search(b.numbered_body, lambda text: int.from_bytes(b.sign(text), "big") + n < 1 << 8 * LENGTH)
    value = int.from_bytes(b.sign(small), "big") + n
    refuse(suite, "signature value: s + n in the key's length", flags, value.to_bytes(LENGTH, "big"), small)
    # 1025 bits leave seven spare bits in 129 bytes, so several multiples of n fit.
    n, _, _, length = b.rsa_numbers("issuer-1025")
    s = int.from_bytes(b.sign(BODY, "issuer-1025"), "big")
    for factor in (1, 2, 60):
        value = (s + factor * n).to_bytes(length, "big")
        comment = f"signature value: s + {factor} n in the length of a 1025-bit key"
        refuse(suite, comment, flags, value, keys=("issuer-1025.spki.pem",))


def add_hashes(suite):
    flags = "WrongHash"
    sha1 = b.token(BODY, digest=hashes.SHA1())
    suite.add("SHA-1, not allowed", flags, sha1, "bad_signature")
    suite.accept("SHA-1, allowed", flags, sha1, allow_sha1=True)
    suite.accept("SHA-256, SHA-1 allowed too", flags, TOKEN, allow_sha1=True)
    for key in ["issuer-1024", "issuer-4096"]:
        keys = (f"{key}.spki.pem",)
        data = b.token(BODY, key, digest=hashes.SHA1())
        suite.add(f"SHA-1, not allowed, {key}", flags, data, "bad_signature", keys=keys)
        suite.accept(f"SHA-1, allowed, {key}", flags, data, keys=keys, allow_sha1=True)
    comment = "SHA-1, allowed, the right key last of five"
    suite.accept(comment, flags, sha1, keys=("bundle-five.pem",), allow_sha1=True)
    suite.accept("SHA-1, allowed, line end behind", flags, sha1 + b"\n", allow_sha1=True)
    other = b.token(BODY, "other-2048", digest=hashes.SHA1())
    suite.add("SHA-1, allowed, another key", flags, other, "bad_signature", allow_sha1=True)
    others = [hashes.MD5(), hashes.SHA224(), hashes.SHA384(), hashes.SHA512(), hashes.SHA512_256(), hashes.SHA3_256()]
    for digest in others:
        data = b.token(BODY, digest=digest)
        suite.add(f"{digest.name}", flags, data, "bad_signature")
        suite.add(f"{digest.name}, SHA-1 allowed", flags, data, "bad_signature", allow_sha1=True)


def add_schemes(suite):
    flags = "WrongAlgorithm"
    message = BODY.encode()
    key = b.private_key("issuer-2048")

    def pss(digest):
        return key.sign(message, padding.PSS(padding.MGF1(digest), 0), digest)

    secret = (b.KEYS / "test-only-issuer-2048.spki.pem").read_bytes()
    curve_key = b.private_key_in_bad("ec-p256")
    ecdsa = curve_key.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    values = {
        "RSASSA-PSS with SHA-256": pss(hashes.SHA256()),
        "RSASSA-PSS with SHA-1": pss(hashes.SHA1()),
        "HMAC with the public key as the secret": hmac.digest(secret, message, "sha256"),
        "HMAC, repeated to the length of a signature": hmac.digest(secret, message, "sha256") * 8,
        "ECDSA P-256": ecdsa,
        "Ed25519": b.private_key_in_bad("ed25519").sign(message),
        "SHA-256 of the body": DIGEST,
        "the word none": b"none",
    }
    for comment, value in values.items():
        refuse(suite, comment, flags, value)
    refuse(suite, "RSASSA-PSS with SHA-1, SHA-1 allowed", flags, pss(hashes.SHA1()), allow_sha1=True)
    text = b.body(extra="<alg>none</alg><algorithm>SHA1withRSA</algorithm>")
    suite.accept("an unknown element that names an algorithm changes nothing", flags, b.token(text))
    comment = "an unknown element that names SHA-1 allows nothing"
    suite.add(comment, flags, b.token(text, digest=hashes.SHA1()), "bad_signature")


def add_check_order(suite):
    """The signature comes before every field, and nothing of a forged token is looked at."""
    flags = "CheckOrder"
    forged = b.sign(BODY, "other-2048")
    late = b.EXPIRES + 86_400_000
    bad = [
        ("expired", BODY, {"at": late}),
        ("not yet valid", BODY, {"at": b.ISSUED - 86_400_000}),
        ("for another requestor", BODY, {"requestor": "OTHER"}),
        ("for another resource", BODY, {"resource": "OtherChannel"}),
        ("everything wrong at once", BODY, {"at": late, "requestor": "OTHER", "resource": "OtherChannel"}),
        ("nothing checked", BODY, {"requestor": None, "resource": None}),
        ("no issue time", b.body(issueTime=None), {}),
        ("ttl not a number", b.body(ttl="NaN"), {}),
        ("not XML", "hello", {}),
        ("unclosed", "<authToken>", {}),
        ("DOCTYPE with an entity bomb", entity_bomb(), {}),
        ("AuthN token", "<simpleAuthenticationToken></simpleAuthenticationToken>", {}),
        ("AuthZ token", "<simpleAuthorizationToken></simpleAuthorizationToken>", {}),
    ]
    for comment, text, options in bad:
        refuse(suite, f"forged: {comment}", flags, forged, text, **options)
    changed = BODY.replace("420000", "86400000")
    refuse(suite, "forged: ttl stretched, expired otherwise", flags, SIGNATURE, changed, at=b.EXPIRES + 1)


def entity_bomb():
    levels = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    return f'<!DOCTYPE authToken [<!ENTITY a0 "ha">{levels}]>' + b.body(resourceID="&a9;")
