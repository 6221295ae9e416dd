"""Large input, and input made to cost time. The answer is the same as for small input."""

from . import builder as b
from .foreign import PROLOG

LIMIT = 65_536
MANY = 60_000
BODY = b.body()
SIGNATURE_TEXT = b.base64_text(b.sign(BODY))
FORGED = b.sign(BODY, "other-2048")


def add(suite):
    add_exact_size(suite)
    add_too_large(suite)
    add_white_space(suite)
    add_outer_floods(suite)
    add_unsigned_floods(suite)
    add_signed_floods(suite)
    add_harmless_floods(suite)


def filled(size):
    """A token of exactly that size: an unknown element takes the rest."""
    rest = size - len(b.token(b.body(extra="<x></x>")))
    return b.token(b.body(extra=f"<x>{'x' * rest}</x>"))


def add_exact_size(suite):
    flags = "Size"
    suite.accept("65,536 octets", flags, filled(LIMIT))
    suite.add("65,537 octets, otherwise good", flags, filled(LIMIT + 1), "too_large")
    suite.accept("65,536 octets of Base64", flags, b.standard(filled(LIMIT // 4 * 3)))
    suite.add("65,536 octets of Base64 and a line end", flags, b.standard(filled(LIMIT // 4 * 3)) + b"\n", "too_large")
    suite.add("65,540 octets of Base64", flags, b.standard(filled(LIMIT // 4 * 3 + 1)), "too_large")
    suite.accept("65,536 octets with white space around", flags, b" \n" + filled(LIMIT - 4) + b"\r\n")
    suite.add("65,537 octets with white space in front", flags, b" " + filled(LIMIT), "too_large")
    suite.add("65,537 octets with a line end behind", flags, filled(LIMIT) + b"\n", "too_large")
    suite.add("65,536 octets and a byte order mark", flags, b"\xef\xbb\xbf" + filled(LIMIT), "too_large")
    suite.add("65,537 spaces", flags, b" " * (LIMIT + 1), "too_large")
    suite.add("65,537 zero octets", flags, bytes(LIMIT + 1), "too_large")
    suite.add("65,537 octets that start like a JWT", flags, b"eyJ." + b"a" * (LIMIT - 5) + b".a", "too_large")
    data = b"%3CsignatureInfo%3E" + b"".join(b"%%%02X" % byte for byte in filled(22_000)[15:])
    suite.add("a small token, too large in its percent-encoding", flags, data, "too_large")
    suite.accept("a large token, percent-encoded", flags, b.percent(filled(64_000)))


def add_too_large(suite):
    flags, million = "Size", 1_000_000
    floods = {
        "10 MiB of x": b"x" * (10 << 20),
        "10 MiB of A, which is Base64": b"A" * (10 << 20),
        "10 MiB of white space": b" " * (10 << 20),
        "10 MiB, otherwise good": filled(10 << 20),
        "10 MiB of Base64, otherwise good": b.standard(filled(10 << 20)),
        "a million <": b"<" * million,
        "a million &": b"&" * million,
        "a million <!--": b"<!--" * million,
        "a million ]]>": b"]]>" * million,
        "a million </signatureInfo>": b"</signatureInfo>" * million,
        "a million <signatureInfo>": b"<signatureInfo>" * million,
        "a million full stops": b"." * million,
    }
    for comment, data in floods.items():
        suite.add(comment, flags, data, "too_large")


def add_white_space(suite):
    flags = "Size"
    token = b.assemble(SIGNATURE_TEXT, BODY)
    stretched = SIGNATURE_TEXT[:9] + b"\n" * MANY + SIGNATURE_TEXT[9:]
    accepted = {
        "60,000 spaces in front": b" " * MANY + token,
        "60,000 line ends behind the body": token + b"\r\n" * (MANY // 2),
        "60,000 line ends behind Base64": b.standard(token) + b"\n" * MANY,
        "60,000 line ends inside Base64": b.standard(token)[:99] + b"\n" * MANY + b.standard(token)[99:],
        "60,000 spaces in front of the signature": b.assemble(b" " * MANY + SIGNATURE_TEXT, BODY),
        "60,000 line ends inside the signature": b.assemble(stretched, BODY),
    }
    for comment, data in accepted.items():
        suite.accept(comment, flags, data)
    suite.add("60,000 spaces", flags, b" " * MANY, "malformed")
    suite.add("60,000 byte order marks", flags, b"\xef\xbb\xbf" * (MANY // 3), "malformed")


def add_outer_floods(suite):
    flags = "Size"
    floods = {
        "60,000 <": b"<" * MANY,
        "60,000 =": b"=" * MANY,
        "60,000 +": b"+" * MANY,
        "60,000 A, which is Base64 of zeros": b"A" * MANY,
        "60,000 full stops": b"." * MANY,
        "60,000 full stops behind eyJ": b"eyJ" + b"." * MANY,
        "60,000 {": b"{" * MANY,
        "60,000 quotes": b'"' * MANY,
        "60,000 %": b"%" * MANY,
        "60,000 % behind the percent-encoded marker": b"%3CsignatureInfo%3E" + b"%" * MANY,
        "percent escapes of A without a second marker": b"%3CsignatureInfo%3E" + b"%41" * 20_000,
        "60,000 octets FF": b"\xff" * MANY,
        "60,000 NUL": bytes(MANY),
        "4,000 first markers": b.OPENING * 4000,
        "4,000 closing markers behind the first": b.OPENING + b.CLOSING * 4000,
        "4,000 markers behind the body": b.assemble(SIGNATURE_TEXT, BODY) + b.CLOSING * 3500,
        "60,000 < behind the signature": b.OPENING + SIGNATURE_TEXT + b"<" * MANY,
        "signature text without an end": b.OPENING + b"A" * MANY,
        "signature text of 60,000 =": b.assemble(b"=" * MANY, BODY),
        "signature text of 60,000 spaces": b.assemble(b" " * MANY, BODY),
        "XML prologs without a root": PROLOG.encode() * 1500,
        "prolog without an end": b"<?xml " + b"x" * MANY,
    }
    for comment, data in floods.items():
        suite.add(comment, flags, data, "malformed")
    data = b.assemble(b"A" * MANY, BODY)
    suite.add("signature of 45,000 octets", flags, data, "bad_signature")
    data = (PROLOG + "<authToken><Signature/>" + "<a>" * 20_000).encode()[:LIMIT]
    suite.add("XML-DSig look-alike with 20,000 levels", flags, data, "foreign_token")


# What an element could be flooded with. All are malformed inside the body.
HOSTILE = {
    "<": "<",
    "&": "&",
    "<!--": "<!--",
    "]]>": "]]>",
    "<![CDATA[": "<![CDATA[",
    "<?": "<?",
    "<!DOCTYPE": "<!DOCTYPE",
    "<a>": "<a>",
    "</a>": "</a>",
    "&#": "&#",
    "&amp": "&amp",
    "<x ": "<x ",
    'a="': 'a="',
}


def add_unsigned_floods(suite):
    for comment, unit in HOSTILE.items():
        data = b.token("<authToken>" + unit * (MANY // len(unit)), signature=FORGED)
        suite.add(f"not signed: 60,000 octets of {comment}", "Size", data, "bad_signature")


def add_signed_floods(suite):
    flags = "Size"
    for comment, unit in HOSTILE.items():
        flood = unit * (MANY // len(unit))
        if unit not in ("]]>", 'a="'):  # As text of an element these two need a case of their own.
            data = b.token(b.body(extra=f"<x>{flood}</x>"))
            suite.add(f"signed: {comment}, 60,000 octets in an element", flags, data, "malformed")
        suite.add(f"signed: {comment}, 60,000 octets in the root", flags, b.token(b.body(extra=flood)), "malformed")
    others = {
        "]]> in an element": b.body(extra=f"<x>{']]>' * 20_000}</x>"),
        "attributes": b.body(extra="<x" + ' a="1"' * 10_000 + "/>"),
        "a name of 60,000 octets, not closed": b.body(extra="<" + "x" * MANY),
        "a reference of 60,000 octets": b.body(mvpdId="&" + "x" * MANY + ";"),
        "a number of 60,000 digits": b.body(mvpdId="&#" + "9" * MANY + ";"),
        "a reference without an end": b.body(extra="<x>&#" + "1" * MANY + "</x>"),
        "ttl of 60,000 digits": b.body(ttl="1" * MANY),
        "ttl of 60,000 zeros": b.body(ttl="0" * MANY),
        "issueTime of 60,000 digits": b.body(issueTime="1" * MANY),
        "issueTime with a fraction of 60,000 digits": b.body(issueTime="2026-01-15T17:30:00." + "0" * MANY + "Z"),
        "roots inside each other": "<authToken>" * 5000,
        "the same known element 3,000 times": b.body(extra="<ttl>420000</ttl>" * 3000),
        "60,000 spaces in front of the root": " " * MANY + BODY,
        "bodies in a row": BODY * 200,
        "an end tag with 60,000 letters": BODY.replace("</ttl>", "</ttl" + "x" * MANY + ">"),
    }
    for comment, text in others.items():
        suite.add(f"signed: {comment}", flags, b.token(text), "malformed")


def add_harmless_floods(suite):
    """As large, and good all the same."""
    flags = "Size"
    extras = {
        "60,000 > in an element": f"<x>{'>' * MANY}</x>",
        "60,000 ] in an element": f"<x>{']' * MANY}</x>",
        "12,000 &amp; in an element": f"<x>{'&amp;' * 12_000}</x>",
        "12,000 numeric references in an element": f"<x>{'&#65;' * 12_000}</x>",
        "60,000 < in CDATA": f"<x><![CDATA[{'<' * MANY}]]></x>",
        "starts of CDATA in CDATA": f"<x><![CDATA[{'<![CDATA[' * 6000}]]></x>",
        "60,000 ] in CDATA": f"<x><![CDATA[{']' * MANY}]]></x>",
        "5,000 empty CDATA sections": f"<x>{'<![CDATA[]]>' * 5000}</x>",
        "15,000 unknown elements": "<x/>" * 15_000,
        "8,000 unknown elements with end tags": "<x></x>" * 8000,
        "60,000 CR in an element": f"<x>{chr(13) * MANY}</x>",
        "60,000 spaces between elements": " " * MANY,
        "60,000 spaces in a tag": f"<x{' ' * MANY}/>",
        "a name of 25,000 octets": f"<{'x' * 25_000}></{'x' * 25_000}>",
        "10,000 emoji": f"<x>{chr(0x1F4FA) * 10_000}</x>",
    }
    for comment, extra in extras.items():
        suite.accept(f"signed: {comment}", flags, b.token(b.body(extra=extra)))
    long_value = "x" * MANY
    data, claims = b.token(b.body(resourceID=long_value[:5000])), b.claims(resourceID=long_value[:5000])
    suite.accept("resource of 5,000 octets", flags, data, claims, resource=long_value[:5000])
