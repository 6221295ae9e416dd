"""Which texts a verifier accepts as the signature of a requestor ID."""

from cryptography.hazmat.primitives import hashes

from . import signing
from .suite import Suite, text_members

LINE, LINES = signing.base64_line, signing.base64_lines


def suite():
    suite = Suite("RequestorSignature")
    one_key(suite)
    forms(suite)
    signatures(suite)
    suite.group("RequestorVerify", keys=["test-only-other-2048.spki.pem", "test-only-issuer-2048.cert-v3.pem"])
    accept(suite, "the second of two keys, as a certificate", "Valid", key="issuer-2048")
    accept(suite, "the first of two keys", "Valid", key="other-2048")
    refuse(suite, "neither of two keys", "BadSignature", LINE(signing.sign("REF30", "issuer-2048-high")))
    suite.group("RequestorVerify", keys=["test-only-issuer-1024.spki.pem"])
    accept(suite, "1024 bits are verified", "LegacyKey", key="issuer-1024")
    suite.group("RequestorVerify", keys=["test-only-issuer-8192.spki.pem"])
    accept(suite, "8192 bits, wrapped", "LegacyForm", LINES(signing.sign("REF30", "issuer-8192")))
    return suite


def one_key(suite):
    suite.group("RequestorVerify", keys=["test-only-issuer-2048.spki.pem"])
    accept(suite, "one line", "Valid")
    accept(suite, "not ASCII", "Unicode", LINE(signing.sign("caf\u00e9")), requestor="caf\u00e9")
    refuse(suite, "the same letters in another normal form", "Unicode BadSignature", LINE(signing.sign("caf\u00e9")),
           requestor="cafe\u0301")
    refuse(suite, "KELVIN SIGN is no K", "Unicode BadSignature", LINE(signing.sign("K1")), requestor="\u212a1")
    refuse(suite, "another case", "BadSignature", requestor="ref30")
    refuse(suite, "another ID", "BadSignature", requestor="REF31")
    refuse(suite, "a signed ID with a line feed is not the ID", "BadSignature", LINE(signing.sign("REF30\n")))
    for comment, requestor in [
        ("no ID", ""), ("an ID with a line feed", "REF30\n"), ("an ID with a trailing space", "REF30 "),
        ("an ID with NUL", "REF30\0"), ("an ID that is not UTF-8", b"REF30\xff"),
    ]:
        signature = LINE(signing.sign(requestor))
        refuse(suite, f"{comment}, well signed", "UnsuitableText", signature, "unsuitable_text", requestor=requestor)


def forms(suite):
    signature = signing.sign("REF30")
    lines = LINES(signature)
    accept(suite, "lines of 76 symbols with a last line feed", "LegacyForm", lines)
    accept(suite, "lines of 76 symbols without it", "LegacyForm", lines.rstrip("\n"))
    text = LINE(signature)
    for comment, form in {
        "lines that end in CR LF": LINES(signature, end="\r\n"),
        "lines of 64 symbols": LINES(signature, 64),
        "one line and a line feed": text + "\n",
        "two line feeds at the end": lines + "\n",
        "an empty line first": "\n" + lines,
        "a shorter line in the middle": text[:76] + "\n" + text[76:100] + "\n" + text[100:],
        "a longer last line": text[:76] + "\n" + text[76:],
        "a leading space": " " + text,
        "a trailing space": text + " ",
        "a space for a symbol": text[:5] + " " + text[6:],
        "URL-safe alphabet": text.replace("+", "-").replace("/", "_"),
        "both alphabets": text.replace("+", "-"),
        "no padding": text.rstrip("="),
        "one padding symbol too few": text[:-1],
        "one padding symbol too many": text + "=",
        "a trailing bit": signing.with_trailing_bit(text.rstrip("=").replace("+", "-").replace("/", "_"))
        .replace("-", "+").replace("_", "/") + "==",
        "text behind the padding": text + "QUJD",
        "percent-encoded": text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
        "hexadecimal digits and no Base64": signature.hex() + "=",
        "NUL behind it": text + "\0",
        "full-width letters": "\uff21" + text[1:],
    }.items():
        refuse(suite, comment, "Base64Form", form, "malformed")
    refuse(suite, "2049 octets", "Limits", "A" * 2049, "too_large")


def signatures(suite):
    signature = signing.sign("REF30")
    flipped = bytes([signature[0], signature[1] ^ 1]) + signature[2:]
    for comment, data in {
        "nothing": b"",
        "one octet": b"\0",
        "a bit flipped": flipped,
        "the last octet missing": signature[:-1],
        "the first octet missing": signature[1:],
        "an octet more behind": signature + b"\0",
        "a leading zero octet more": b"\0" + signature,
        "all zeros": bytes(256),
        "all ones": b"\xff" * 256,
        "the number one": bytes(255) + b"\1",
        "twice in a row": signature + signature,
        "Base64 of Base64": LINE(signature).encode(),
        "another key": signing.sign("REF30", "other-2048"),
        "a key of another size": signing.sign("REF30", "issuer-3072"),
        "PSS padding": signing.sign_pss("REF30"),
        "SHA-512": signing.sign("REF30", digest=hashes.SHA512()),
        "a signature of the digest": signing.sign(b"\x00" * 32),
    }.items():
        refuse(suite, comment, "BadSignature", LINE(data))
    sha1 = LINE(signing.sign("REF30", digest=hashes.SHA1()))
    refuse(suite, "SHA-1 without being asked for", "BadSignature", sha1)
    accept(suite, "SHA-1 where it is asked for", "LegacyForm", sha1, allow_sha1=True)
    accept(suite, "SHA-256 where SHA-1 is asked for too", "LegacyForm", allow_sha1=True)
    refuse(suite, "SHA-1 of another ID", "BadSignature", sha1, allow_sha1=True, requestor="REF31")


def accept(suite, comment, flags, signature=None, *, key="issuer-2048", requestor="REF30", allow_sha1=False):
    signature = signature or LINE(signing.sign(requestor, key))
    add(suite, comment, flags, signature, "valid", requestor, allow_sha1)


def refuse(suite, comment, flags, signature=None, code="bad_signature", *, requestor="REF30", allow_sha1=False):
    signature = LINE(signing.sign("REF30")) if signature is None else signature
    add(suite, comment, flags, signature, code, requestor, allow_sha1)


def add(suite, comment, flags, signature, code, requestor, allow_sha1):
    suite.add(
        comment, flags, **text_members(requestor, "requestor"), signature=signature, allowSHA1=allow_sha1,
        result="valid" if code == "valid" else "invalid", expectedCode=code,
    )
