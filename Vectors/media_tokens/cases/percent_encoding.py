"""The percent-encoded and the form-encoded token."""

from . import builder as b
from .base64_layers import sized
from .container import BOM, TOKEN


def add(suite):
    add_percent(suite)
    add_repairs(suite)


def add_percent(suite):
    flags = "PercentEncoding"
    accepted = {
        "lower-case hexadecimal digits": b.percent(TOKEN, hex_format="%{:02x}"),
        "only < and > encoded": TOKEN.replace(b"<", b"%3C").replace(b">", b"%3E"),
        "digits of both cases": TOKEN.replace(b"<", b"%3c").replace(b">", b"%3E"),
        "+ and / and = of the signature not encoded": b.percent(TOKEN, keep=b"+/="),
        "letters encoded too, behind the first marker": percent_all(TOKEN),
        "white space in front": b" \r\n" + b.percent(TOKEN),
        "byte order mark in front": BOM + b.percent(TOKEN),
        "line end behind": b.percent(TOKEN) + b"\r\n",
        "encoded line end behind": b.percent(TOKEN + b"\n"),
        "encoded line ends inside the signature": b.percent(
            b.assemble(b.wrapped(b.base64_text(b.sign(b.body())), 76, b"\r\n"), b.body())
        ),
        "closing marker": b.percent(b.token(b.body(), second=b.CLOSING)),
    }
    for comment, data in accepted.items():
        suite.accept(f"percent-encoded: {comment}", flags, data)
    encoded = b.percent(TOKEN)
    refused = {
        "a % at the very end": encoded + b"%",
        "a % and one digit at the very end": encoded + b"%2",
        "a % before other letters": encoded.replace(b"%20", b"%2G"),
        "a % before a sign": encoded.replace(b"%20", b"%+2"),
        "%u escapes": encoded.replace(b"%20", b"%u0020"),
        "encoded NUL": encoded + b"%00",
        "encoded octet FF": encoded.replace(b"REF30", b"REF3%FF"),
        "raw octet FF": encoded.replace(b"REF30", b"REF3\xff"),
        "encoded twice": b.percent(encoded),
        "everything encoded, the first marker's name too": b"".join(b"%%%02X" % byte for byte in TOKEN),
        "the first marker in another case": encoded.replace(b"signatureInfo", b"SignatureInfo", 1),
        "encoded byte order mark in front": b"%EF%BB%BF" + encoded,
        "encoded space in front": b"%20" + encoded,
        "closing marker first": encoded.replace(b"%3C", b"%3C%2F", 1),
        "only the tail encoded": TOKEN[:20] + b.percent(TOKEN[20:]),
    }
    for comment, data in refused.items():
        suite.add(f"percent-encoded: {comment}", flags, data, "malformed")
    suite.add("percent-encoded Base64", flags, b.percent(sized(1)[0]), "malformed")
    suite.add("HTML-escaped", flags, TOKEN.replace(b"<", b"&lt;").replace(b">", b"&gt;"), "malformed")
    comment = "percent-encoded: one octet of the signed part changed"
    suite.add(comment, flags, encoded.replace(b"REF30", b"REF31"), "bad_signature")


def percent_all(data):
    """Every byte encoded, except the name of the first marker."""
    rest = data[len(b.OPENING) :]
    return b"%3CsignatureInfo%3E" + b"".join(b"%%%02X" % byte for byte in rest)


def add_repairs(suite):
    """A raw + in the signed part stays a +; only if no signature fits, it is tried as a space."""
    flags = "PercentEncoding LostPlus"
    zulu = b.body(issueTime="2026-01-15 17:30:00 +0000", mvpdId="A+B")
    data, claims = b.token(zulu), b.claims(mvpdId="A+B")
    suite.accept("raw + stays +", flags, b.percent(data, keep=b"+"), claims)
    suite.accept("form-encoded, + as %2B", flags, b.form(data), claims)
    comment = "spaces as + beside raw +: both become spaces, and nothing fits"
    suite.add(comment, flags, b.percent(data, keep=b"+").replace(b"%20", b"+"), "bad_signature")
    comment = "form-encoded, the + of the signature left raw"
    data = b.search(lambda number: b.token(b.numbered_body(number)), lambda made: b"+" in signature_text(made))
    claims = b.numbered_claims(data[data.index(b"<authToken>") :].decode())
    encoded = b.form(data)
    head, tail = encoded.split(b"%3CsignatureInfo%3E%3CauthToken", 1)
    raw = head.replace(b"%2B", b"+") + b"%3CsignatureInfo%3E%3CauthToken" + tail
    suite.accept(comment, flags, raw, claims)
    lost = head.replace(b"%2B", b"%20") + b"%3CsignatureInfo%3E%3CauthToken" + tail
    suite.accept("form-encoded, the + of the signature lost to %20", flags, lost, claims)
    suite.accept("form-encoded, encoded line end behind", flags, b.form(TOKEN + b"\r\n"))
    suite.accept("form-encoded, raw line end behind", flags, b.form(TOKEN) + b"\n")
    suite.accept("form-encoded, a space behind, which became +", flags, b.form(TOKEN) + b"+")
    comment = "form-encoded, one space left raw"
    suite.accept(comment, flags, b.form(TOKEN).replace(b"+", b" ", 1))
    plain = TOKEN.replace(b" ", b"+")
    suite.add("plain text with + for spaces is not repaired", flags, plain, "bad_signature")
    comment = "Base64 of text with + for spaces is not repaired"
    suite.add(comment, flags, b.standard(plain), "bad_signature")


def signature_text(data):
    return data[len(b.OPENING) : data.index(b"<", 1)]
