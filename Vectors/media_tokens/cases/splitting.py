"""The two markers, and the signature's text between them."""

from . import builder as b

BODY = b.body()
SIGNATURE = b.sign(BODY)
SIGNATURE_TEXT = b.base64_text(SIGNATURE)
TOKEN = b.assemble(SIGNATURE_TEXT, BODY)


def add(suite):
    add_markers(suite)
    add_third_markers(suite)
    add_empty_rest(suite)
    add_signature_text(suite)
    add_signature_plus(suite)


def add_markers(suite):
    flags = "Markers"
    suite.accept("second marker closing, as in XML", flags, b.assemble(SIGNATURE_TEXT, BODY, b.CLOSING))

    def between(first, second):
        return first + SIGNATURE_TEXT + second + BODY.encode()

    refused = {
        "one marker and a signature": b.OPENING + SIGNATURE_TEXT,
        "one marker, no second before the root": between(b.OPENING, b""),
        "one marker alone": b.OPENING,
        "two markers alone": b.OPENING + b.OPENING,
        "no marker": SIGNATURE_TEXT + BODY.encode(),
        "markers swapped: closing, opening": between(b.CLOSING, b.OPENING),
        "both markers closing": between(b.CLOSING, b.CLOSING),
        "markers and body swapped": BODY.encode() + b.OPENING + SIGNATURE_TEXT + b.OPENING,
        "first marker in other case": between(b"<SIGNATUREINFO>", b.OPENING),
        "second marker in other case": between(b.OPENING, b"<SignatureInfo>"),
        "first marker with an attribute": between(b'<signatureInfo alg="none">', b.OPENING),
        "second marker with an attribute": between(b.OPENING, b'<signatureInfo alg="RS256">'),
        "first marker with a space": between(b"<signatureInfo >", b.OPENING),
        "second marker with a space": between(b.OPENING, b"<signatureInfo >"),
        "closing marker with a space": between(b.OPENING, b"</signatureInfo >"),
        "second marker with a space behind the slash": between(b.OPENING, b"</ signatureInfo>"),
        "second marker empty": between(b.OPENING, b"<signatureInfo/>"),
        "second marker with a longer name": between(b.OPENING, b"<signatureInfos>"),
        "second marker cut": between(b.OPENING, b"<signatureInfo"),
        "second marker without <": between(b.OPENING, b"signatureInfo>"),
        "second marker with a prefix": between(b.OPENING, b"<x:signatureInfo>"),
        "second marker escaped": between(b.OPENING, b"&lt;signatureInfo&gt;"),
        "an element before the second marker": between(b.OPENING, b"<x/><signatureInfo>"),
        "a comment before the second marker": between(b.OPENING, b"<!-- --><signatureInfo>"),
        "signature in CDATA": b.OPENING + b"<![CDATA[" + SIGNATURE_TEXT + b"]]>" + b.OPENING + BODY.encode(),
    }
    for comment, data in refused.items():
        suite.add(comment, flags, data, "malformed")
    suite.add("the token twice", flags, TOKEN + TOKEN, "malformed")
    suite.add("the token twice, a line end between", flags, TOKEN + b"\n" + TOKEN, "malformed")


def add_third_markers(suite):
    """A third marker is refused at any place, signed or not."""
    flags = "Markers"
    for name, marker in (("opening", "<signatureInfo>"), ("closing", "</signatureInfo>")):
        suite.add(f"third marker, {name}, behind the body", flags, TOKEN + marker.encode(), "malformed")
        suite.add(f"third marker, {name}, behind the body, signed", flags, b.token(BODY + marker), "malformed")
        suite.add(f"third marker, {name}, in front of the body, signed", flags, b.token(marker + BODY), "malformed")
        text = b.body(resourceID=f"<![CDATA[{marker}]]>")
        suite.add(f"third marker, {name}, in CDATA, signed", flags, b.token(text), "malformed", resource=marker)
    text = b.body(resourceID="&lt;signatureInfo&gt;")
    claims = b.claims(resourceID="<signatureInfo>")
    comment = "the marker's text, escaped, in a field is no marker"
    suite.accept(comment, flags, b.token(text), claims, resource="<signatureInfo>")
    element = "<signatureInfo>QUJD</signatureInfo>"
    suite.add("a marker element as an unknown child, signed", flags, b.token(b.body(extra=element)), "malformed")


def add_empty_rest(suite):
    flags = "Markers SignedBytes"
    of_nothing = b.base64_text(b.sign(""))
    suite.add("nothing behind the second marker, and nothing signed", flags, b.assemble(of_nothing, ""), "malformed")
    comment = "nothing behind the second marker, signature of a body"
    suite.add(comment, flags, b.assemble(SIGNATURE_TEXT, ""), "malformed")
    comment = "only white space behind the second marker, signature of a body"
    suite.add(comment, flags, b.assemble(SIGNATURE_TEXT, " \r\n"), "malformed")
    comment = "only white space behind the second marker, and nothing signed: a good signature of no body"
    suite.add(comment, flags, b.assemble(of_nothing, " \r\n"), "malformed")
    suite.add("only white space behind the second marker, signed", flags, b.token(" \n"), "malformed")
    suite.add("letters behind the second marker, signed", flags, b.token("REF30"), "malformed")


def add_signature_text(suite):
    flags = "SignatureText"
    text = SIGNATURE_TEXT
    assert text.endswith(b"==") and b"/" in text and b"+" in text
    accepted = {
        "in lines of 64, LF": b.wrapped(text, 64),
        "in lines of 76, CR LF": b.wrapped(text, 76, b"\r\n"),
        "in lines of 76, CR": b.wrapped(text, 76, b"\r"),
        "with tabs": b.wrapped(text, 30, b"\t"),
        "line end in front": b"\r\n" + text,
        "spaces at both ends": b"  " + text + b" ",
        "line end between the two =": text[:-1] + b"\n=",
        "+ lost to a space": text.replace(b"+", b" "),
        "one + lost, the others kept": text.replace(b"+", b" ", 1),
    }
    for comment, spelling in accepted.items():
        suite.accept(f"signature text: {comment}", flags, b.assemble(spelling, BODY))
    last = text[-3:-2]
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    next_one = alphabet[alphabet.index(last) + 1 :][:1]
    refused = {
        "empty": b"",
        "only a space": b" ",
        "only white space": b" \r\n\t",
        "only =": b"=",
        "only ====": b"====",
        "words": b"not base64!",
        "non-zero trailing bits": text[:-3] + next_one + b"==",
        "not padded": text[:-2],
        "one = left out": text[:-1],
        "one = too many": text + b"=",
        "four = too many": text + b"====",
        "text behind the padding": text + b"QUJD",
        "= in the middle": text[:40] + b"==" + text[42:],
        "one symbol left over": text[:-3] + b"==",
        "one symbol missing in the middle": text[:40] + text[41:],
        "a space too many in the middle": text[:40] + b" " + text[40:],
        "a space between the two =": text[:-1] + b" =",
        "URL-safe": b.url_safe(SIGNATURE),
        "URL-safe, one symbol only": text.replace(b"/", b"_", 1),
        "percent escapes in plain text": text.replace(b"=", b"%3D"),
        "a reference": text.replace(b"+", b"&#43;", 1),
        "in quotes": b'"' + text + b'"',
        "a NUL-like control character": text[:40] + b"\x01" + text[40:],
        "vertical tab": text[:40] + b"\v" + text[40:],
        "no-break space in front": b"\xc2\xa0" + text,
        "byte order mark in front": b"\xef\xbb\xbf" + text,
        "full-width letter": text[:40] + "Ａ".encode() + text[41:],
        "hexadecimal, odd number of digits": SIGNATURE.hex().encode()[:-1],
    }
    for comment, spelling in refused.items():
        suite.add(f"signature text: {comment}", flags, b.assemble(spelling, BODY), "malformed")
    wrong_value = {
        "hexadecimal, which happens to be Base64 of something else": SIGNATURE.hex().encode(),
        "Base64 twice": b.standard(text),
        "four symbols": b"AAAA",
    }
    for comment, spelling in wrong_value.items():
        suite.add(f"signature text: {comment}", flags, b.assemble(spelling, BODY), "bad_signature")


def add_signature_plus(suite):
    """A + at the edge of the signature's text, lost to a space there."""
    flags = "SignatureText LostPlus"

    def numbered(key):
        return lambda number: b.token(b.numbered_body(number), key)

    def text_of(token):
        return token[len(b.OPENING) : token.index(b"<", 1)]

    def parts(token):
        body = token[token.index(b"<authToken>") :].decode()
        return text_of(token), body, b.numbered_claims(body)

    front = b.search(numbered("issuer-2048-high"), lambda token: text_of(token).startswith(b"+"))
    text, body, claims = parts(front)
    keys = ("issuer-2048-high.spki.pem",)
    suite.accept("signature text starts with +", flags, front, claims, keys=keys)
    suite.accept("signature text: + lost at the front", flags, b.assemble(b" " + text[1:], body), claims, keys=keys)
    spelling = b"\n " + text[1:] + b"\n"
    comment = "signature text: + lost at the front, line ends around"
    suite.accept(comment, flags, b.assemble(spelling, body), claims, keys=keys)
    spelling = b" " + text[1:] + b" "
    comment = "signature text: + lost at the front, and a space behind: the front is repaired"
    suite.accept(comment, flags, b.assemble(spelling, body), claims, keys=keys)
    comment = "signature text: + dropped at the front, no space in its place"
    suite.add(comment, flags, b.assemble(text[1:], body), "malformed", keys=keys)

    # 3072 bits are 384 bytes, so the text has no padding and can end in +.
    end = b.search(numbered("issuer-3072"), lambda token: text_of(token).endswith(b"+"))
    text, body, claims = parts(end)
    keys = ("issuer-3072.spki.pem",)
    suite.accept("signature text ends in +", flags, end, claims, keys=keys)
    lost = b.assemble(text[:-1] + b" ", body)
    suite.accept("signature text: + lost at the end", flags, lost, claims, keys=keys)
    lost = b.assemble(text[:-1] + b" \r\n", body)
    suite.accept("signature text: + lost at the end, line end behind", flags, lost, claims, keys=keys)
    comment = "signature text: + dropped at the end, no space in its place"
    suite.add(comment, flags, b.assemble(text[:-1], body), "malformed", keys=keys)
    comment = "signature text: + lost at the end, and a space in front: the front is repaired, wrongly"
    suite.add(comment, flags, b.assemble(b" " + text[:-1] + b" ", body), "bad_signature", keys=keys)
