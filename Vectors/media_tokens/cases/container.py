"""What is around the token: nothing, white space, character encodings, other texts."""

import json

from . import builder as b

TOKEN = b.token(b.body())
BOM = b"\xef\xbb\xbf"


def add(suite):
    add_nothing(suite)
    add_front(suite)
    add_character_encodings(suite)
    add_wrappings(suite)


def add_nothing(suite):
    nothing = {
        "empty": b"",
        "one space": b" ",
        "white space of all four kinds": b" \t\r\n",
        "only a byte order mark": BOM,
        "byte order mark between white space": b"\n" + BOM + b" \n",
    }
    for comment, data in nothing.items():
        suite.add(comment, "InputForm", data, "malformed")


def add_front(suite):
    suite.accept("as on the wire", "Normal", TOKEN)
    claims = b.claims(proxyMvpdId="TestProxy")
    suite.accept("with proxyMvpdId", "Normal", b.token(b.body(proxyMvpdId="TestProxy")), claims)
    for comment, front in {
        "white space in front": b" \t\r\n",
        "byte order mark in front": BOM,
        "white space, byte order mark, white space in front": b"\r\n" + BOM + b"\n\t ",
    }.items():
        suite.accept(f"{comment}, plain", "InputForm Encoding", front + TOKEN)
        suite.accept(f"{comment}, Base64", "InputForm Encoding", front + b.standard(TOKEN))
    for comment, front in {
        "two byte order marks": BOM + BOM,
        "vertical tab in front": b"\v",
        "form feed in front": b"\f",
        "NUL in front": b"\x00",
        "no-break space in front": b"\xc2\xa0",
        "a letter in front": b"x",
        "XML prolog in front": b'<?xml version="1.0" encoding="UTF-8"?>',
        "a comment in front": b"<!-- -->",
        "Bearer in front": b"Bearer ",
        "a form field's name in front": b"token=",
        "a data URI's head in front": b"data:text/plain;base64,",
    }.items():
        suite.add(f"{comment}, plain", "InputForm", front + TOKEN, "malformed")
    suite.add("Bearer in front of Base64", "InputForm", b"Bearer " + b.standard(TOKEN), "malformed")


def add_character_encodings(suite):
    flags = "Encoding"
    for name in ["utf-16-le", "utf-16-be", "utf-16", "utf-32-le"]:
        suite.add(f"{name}", flags, TOKEN.decode().encode(name), "malformed")
        suite.add(f"{name} in Base64", flags, b.standard(TOKEN.decode().encode(name)), "malformed")
    for comment, data in {
        "NUL": b"\x00",
        "octet FF": b"\xff",
        "lone continuation octet": b"\x80",
        "overlong NUL": b"\xc0\x80",
        "overlong slash": b"\xe0\x80\xaf",
        "surrogate D800": b"\xed\xa0\x80",
        "code point 110000": b"\xf4\x90\x80\x80",
        "Latin-1 e acute": b"\xe9",
    }.items():
        text = b.body().encode().replace(b"Test", b"Te" + data, 1)
        suite.add(f"{comment} in a signed field", flags, b.token(text), "malformed")
        suite.add(f"{comment} in a signed field, in Base64", flags, b.standard(b.token(text)), "malformed")
    broken = TOKEN + b"\xe2\x82"
    suite.add("cut inside a character at the very end", flags, broken, "malformed")
    suite.add("NUL at the very end", flags, TOKEN + b"\x00", "malformed")
    comment = "invalid UTF-8 under a bad signature: found before the signature is tried"
    suite.add(comment, flags + " CheckOrder", TOKEN.replace(b"REF30", b"REF3\xff"), "malformed")
    comment = "NUL under a bad signature: found before the signature is tried"
    suite.add(comment, flags + " CheckOrder", TOKEN.replace(b"REF30", b"REF3\x00"), "malformed")
    suite.add("NUL in the signature text", flags, TOKEN[:40] + b"\x00" + TOKEN[40:], "malformed")
    text = b.body(mvpdId="T\u00e9st\u00a0MVPD")
    suite.accept("non-ASCII provider", flags, b.token(text), b.claims(mvpdId="T\u00e9st\u00a0MVPD"))


def add_wrappings(suite):
    """Texts that hold a good token, or hold none, but are not one."""
    flags = "NotAToken"
    text = TOKEN.decode()
    encoded = b.standard(TOKEN).decode()
    decision = {"decisions": [{"resource": "TestChannel", "authorized": True, "token": {"serializedToken": encoded}}]}
    wrappings = {
        "REST v1 body": json.dumps({"mvpdId": "TestMVPD", "expires": str(b.EXPIRES), "serializedToken": encoded}),
        "REST v2 body": json.dumps(decision),
        "REST v2 body, indented": json.dumps(decision, indent=2),
        "REST v1 body in XML": f"<playback><serializedToken>{encoded}</serializedToken></playback>",
        "JSON string of the plain token, that is, in double quotes": json.dumps(text),
        "JSON string of the Base64": json.dumps(encoded),
        "JSON array": json.dumps([encoded]),
        "JSON number": "42",
        "JSON error body": json.dumps({"status": 403, "message": "User not authorized"}),
        "REST v1 body in Base64": b.standard(json.dumps({"serializedToken": encoded}).encode()).decode(),
        "plain token in single quotes": f"'{text}'",
        "plain token in typographic quotes": f"\u201c{text}\u201d",
        "Base64 in single quotes": f"'{encoded}'",
        "Base64 with a quote at the end": f'{encoded}"',
        "form body": f"mediaToken={encoded}&resource=VGVzdENoYW5uZWw=",
        "HTML error page": "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
        "token inside CDATA": f"<![CDATA[{text}]]>",
        "token inside an element": f"<token>{text}</token>",
        "a word": "undefined",
        "an SQL fragment": "' OR 1=1 --",
    }
    for comment, data in wrappings.items():
        suite.add(comment, flags, data, "malformed")
