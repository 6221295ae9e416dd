"""Good signatures of bytes other than those after the second marker."""

from . import builder as b
from .signatures import BODY, SIGNATURE, TOKEN


def add(suite):
    add_signed_bytes(suite)
    add_changes(suite)
    add_white_space_behind(suite)


def add_signed_bytes(suite):
    """A good signature of the trusted key, but of other bytes."""
    flags = "SignedBytes"
    inner = b.elements()
    signed = {
        "the children only, without the root": inner,
        "with the second marker": "<signatureInfo>" + BODY,
        "with the closing marker": "</signatureInfo>" + BODY,
        "between both markers": "<signatureInfo>" + BODY + "<signatureInfo>",
        "with a line end behind, which is not handed over": BODY + "\n",
        "with a space behind": BODY + " ",
        "with a line end in front": "\n" + BODY,
        "with an XML prolog in front": '<?xml version="1.0"?>' + BODY,
        "without the last >": BODY[:-1],
        "without the first <": BODY[1:],
        "of nothing": "",
        "in Base64": b.standard(BODY.encode()),
        "in UTF-16": BODY.encode("utf-16-le"),
        "in upper case": BODY.upper(),
        "the values only": "".join(b.FIELDS.values()),
        "the session only": b.FIELDS["sessionGUID"],
        "under the other root": b.body(root="shortAuthorizationToken"),
        "pretty-printed": BODY.replace("><", ">\n<"),
        "with a proxyMvpdId": b.body(proxyMvpdId="TestProxy"),
    }
    for comment, data in signed.items():
        suite.add(f"signed: {comment}", flags, b.token(BODY, signature=b.sign(data)), "bad_signature")


def add_changes(suite):
    """The signed text changed after signing, in ways that an XML reader would not notice."""
    flags = "SignedBytes"
    accented = b.body(resourceID="T\u00e9l\u00e9")
    ttl = "<ttl>420000</ttl>"
    changes = {
        "one octet of the requestor": BODY.replace("REF30", "REF31"),
        "one octet of the resource": BODY.replace("TestChannel", "TestChannek"),
        "one digit of the ttl": BODY.replace("420000", "920000"),
        "one digit of the issue time": BODY.replace("09:30", "09:31"),
        "case of one letter": BODY.replace("TestMVPD", "testMVPD"),
        "one more space": BODY.replace("15 09", "15  09"),
        "one space fewer": BODY.replace("00 -08", "00-08"),
        "a space in a tag": BODY.replace("<ttl>", "<ttl >"),
        "a line end between two elements": BODY.replace("</ttl><", "</ttl>\n<"),
        "a letter as a reference": BODY.replace("REF30", "&#82;EF30"),
        "a value in CDATA": BODY.replace("REF30", "<![CDATA[REF30]]>"),
        "an empty CDATA section": BODY.replace("REF30", "REF30<![CDATA[]]>"),
        "an empty comment": BODY.replace("REF30", "REF30<!---->"),
        "two elements exchanged": BODY.replace(ttl, "").replace("<mvpdId>", ttl + "<mvpdId>"),
        "an unknown element added": BODY.replace("</authToken>", "<x/></authToken>"),
        "an element doubled": BODY.replace(ttl, ttl * 2),
        "the provider removed": BODY.replace("<mvpdId>TestMVPD</mvpdId>", ""),
        "the other root": BODY.replace("authToken", "shortAuthorizationToken"),
        "a byte order mark in front": "\ufeff" + BODY,
        "a space in front": " " + BODY,
        "a comment behind": BODY + "<!-- -->",
        "a letter behind": BODY + "x",
        "a vertical tab behind": BODY + "\v",
        "a no-break space behind": BODY + "\u00a0",
        "a second body behind": BODY + BODY,
        "an XML prolog in front": '<?xml version="1.0"?>' + BODY,
        "a DOCTYPE in front": "<!DOCTYPE authToken>" + BODY,
        "cut at the end": BODY[:-12],
    }
    for comment, text in changes.items():
        suite.add(f"changed: {comment}", flags, b.token(text, signature=SIGNATURE), "bad_signature")
    for comment, before, after in [
        ("NFC signed, NFD handed over", accented, accented.replace("\u00e9", "e\u0301")),
        ("NFD signed, NFC handed over", accented.replace("\u00e9", "e\u0301"), accented),
        ("LF signed, CR LF handed over", BODY.replace("><", ">\n<"), BODY.replace("><", ">\r\n<")),
        ("CR LF signed, LF handed over", BODY.replace("><", ">\r\n<"), BODY.replace("><", ">\n<")),
        ("&amp; signed, & handed over", b.body(resourceID="a&amp;b"), b.body(resourceID="a&b")),
    ]:
        suite.add(f"changed: {comment}", flags, b.token(after, signature=b.sign(before)), "bad_signature")


def add_white_space_behind(suite):
    flags = "SignedBytes"
    for comment, tail in {
        "a space": b" ",
        "a tab": b"\t",
        "CR": b"\r",
        "LF": b"\n",
        "CR LF": b"\r\n",
        "many of all four": b" \t\r\n" * 20,
    }.items():
        suite.accept(f"not signed, behind the body: {comment}", flags, TOKEN + tail)
    suite.accept("signed, behind the body: white space", flags, b.token(BODY + " \r\n"))
    comment = "one line end signed, two handed over: neither as it is nor trimmed"
    suite.add(comment, flags, b.token(BODY + "\n") + b"\n", "bad_signature")
    suite.add("signed, in front of the body: a line end", flags, b.token("\n" + BODY), "malformed")
    suite.add("signed, behind the body: a vertical tab", flags, b.token(BODY + "\v"), "malformed")
    comment = "the public documents' form: white space between marker and root, not signed"
    text = "\n" + b.body(root="shortAuthorizationToken").replace("><", ">\n    <")
    suite.add(comment, flags, b.token(text, signature=b.sign(text.strip())), "bad_signature")
