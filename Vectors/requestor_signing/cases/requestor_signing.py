"""The signatures of requestor IDs, byte by byte, and the IDs that a signer refuses."""

from cryptography.hazmat.primitives import hashes

from . import signing
from .suite import Suite, text_members

WEAK_KEYS = ["issuer-1024", "issuer-1025"]
KEYS = WEAK_KEYS + [
    "issuer-2048", "issuer-2048-e3", "issuer-2048-e32bits", "issuer-2048-high", "issuer-3072", "issuer-4096",
    "issuer-8192", "other-2048",
]
COMMON = ["REF30", "ref30", "TestBrand", "a"]
MORE = {
    "an inner space": "Test Brand",
    "punctuation of forms and URLs": "a+b%20c&d=e?f/g#h",
    "punctuation of XML and JSON": "<a href=\"x\">'\\</a>",
    "a comma": "A,B",
    "e with acute, one code point": "caf\u00e9",
    "e with acute, two code points": "cafe\u0301",
    "KELVIN SIGN instead of K": "\u212aanal",
    "the letter K": "Kanal",
    "Greek question mark instead of a semicolon": "a\u037eb",
    "three octets for each character": "\u653e\u9001\u5c40",
    "four octets for a character": "TV \U0001f4fa 1",
    "full-width digits": "REF\uff13\uff10",
    "right-to-left letters": "\u05e2\u05e8\u05d5\u05e5",
    "a no-break space inside": "Test\u00a0Brand",
    "a combining character first": "\u0301a",
    "zero-width joiner inside": "a\u200db",
    "a noncharacter": "a\ufffeb",
    "REPLACEMENT CHARACTER": "a\ufffdb",
    "the last code point": "a\U0010ffff",
    "64 octets, a block of SHA-256": "R" * 64,
    "300 octets": "Brand" * 60,
    "5000 octets": "0123456789" * 500,
    "digits alone": "0030",
    "what Base64 of something looks like": "UkVGMzA=",
}
REFUSED = [
    ("nothing", "", "empty"),
    ("a space alone", " ", "outerWhiteSpace"),
    ("a leading space", " REF30", "outerWhiteSpace"),
    ("a trailing space", "REF30 ", "outerWhiteSpace"),
    ("a trailing no-break space", "REF30\u00a0", "outerWhiteSpace"),
    ("a leading ideographic space", "\u3000REF30", "outerWhiteSpace"),
    ("a trailing thin space", "REF30\u2009", "outerWhiteSpace"),
    ("a trailing line feed, as echo writes", "REF30\n", "control"),
    ("a trailing CR LF", "REF30\r\n", "control"),
    ("a leading line feed", "\nREF30", "control"),
    ("a line feed inside", "REF\n30", "control"),
    ("a tab at the end", "REF30\t", "control"),
    ("a tab inside", "REF\t30", "control"),
    ("NUL at the end", "REF30\0", "control"),
    ("NUL inside", "REF\x0030", "control"),
    ("NUL alone", "\0", "control"),
    ("ESC", "\x1b[1mREF30", "control"),
    ("DEL", "REF30\x7f", "control"),
    ("NEXT LINE", "REF30\u0085", "control"),
    ("a C1 control", "REF\u009b30", "control"),
    ("LINE SEPARATOR", "REF\u202830", "control"),
    ("PARAGRAPH SEPARATOR", "REF30\u2029", "control"),
    ("a byte order mark", "\ufeffREF30", "control"),
    ("Latin-1", b"caf\xe9", "notUTF8"),
    ("an overlong form", b"REF\xc0\xb030", "notUTF8"),
    ("an encoded surrogate", b"REF\xed\xa0\x80", "notUTF8"),
    ("a character cut off", b"REF30\xe2\x82", "notUTF8"),
]


def suite():
    suite = Suite("RequestorSignature")
    for key in KEYS:
        suite.group("RequestorSign", key=f"test-only-{key}.pkcs8.pem", publicKey=f"test-only-{key}.spki.pem")
        flags = "LegacyKey" if key in WEAK_KEYS else "Valid"
        for requestor in COMMON:
            accept(suite, f"{requestor}, {key}", flags, requestor, key)
        if key == "issuer-2048":
            for comment, requestor in MORE.items():
                accept(suite, comment, "Unicode" if not requestor.isascii() else "Valid", requestor, key)
            for comment, requestor, fault in REFUSED:
                suite.add(
                    comment, "UnsuitableText", **text_members(requestor, "requestor"),
                    result="invalid", expectedFault=fault,
                )
    return suite


def accept(suite, comment, flags, requestor, key):
    signature = signing.sign(requestor, key)
    suite.add(
        comment,
        flags,
        requestor=requestor,
        result="valid",
        expectedSignature=signing.base64_line(signature),
        expectedWrapped=signing.base64_lines(signature),
        expectedSHA1=signing.base64_line(signing.sign(requestor, key, hashes.SHA1())),
    )
