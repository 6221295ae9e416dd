"""Requestor and resource compared with the expected ones, and the order of the last checks."""

from . import builder as b
from .matrix import MRSS, MRSS_WITH_CDATA, in_cdata

TOKEN = b.token(b.body())


def add(suite):
    add_requestors(suite)
    add_resources(suite)
    add_media_rss(suite)
    add_unchecked(suite)
    add_order(suite)


# Comment, value in the token, value expected. Their bytes differ, so they are different.
LOOK_ALIKES = [
    ("other case", "REF30", "ref30"),
    ("other case, the other way round", "ref30", "REF30"),
    ("expectation one character shorter", "REF30", "REF3"),
    ("expectation one character longer", "REF30", "REF300"),
    ("trailing space expected", "REF30", "REF30 "),
    ("trailing space in the token", "REF30 ", "REF30"),
    ("leading space expected", "REF30", " REF30"),
    ("leading space in the token", " REF30", "REF30"),
    ("line end expected", "REF30", "REF30\n"),
    ("line end in the token", "REF30\n", "REF30"),
    ("NUL behind the expectation", "REF30", "REF30\x00"),
    ("NUL and more behind the expectation", "REF30", "REF30\x00.evil"),
    ("byte order mark expected", "REF30", "\ufeffREF30"),
    ("zero-width joiner in the token", "REF\u200d30", "REF30"),
    ("soft hyphen in the token", "REF\u00ad30", "REF30"),
    ("wildcard expected", "REF30", "*"),
    ("wildcard in the token", "*", "REF30"),
    ("regular expression expected", "REF30", "REF.*"),
    ("list expected", "REF30", "REF30,OTHER"),
    ("list in the token", "REF30,OTHER", "REF30"),
    ("KELVIN SIGN in the token", "RE\u212a", "REK"),
    ("KELVIN SIGN expected", "REK", "RE\u212a"),
    ("NFC in the token, NFD expected", "T\u00e9l\u00e9", "Te\u0301le\u0301"),
    ("NFD in the token, NFC expected", "Te\u0301le\u0301", "T\u00e9l\u00e9"),
    ("Hangul composed and decomposed", "\uac00", "\u1100\u1161"),
    ("GREEK QUESTION MARK in the token", "A\u037eB", "A;B"),
    ("ANGSTROM SIGN in the token", "\u212b", "\u00c5"),
    ("Cyrillic letter in the token", "R\u0415F30", "REF30"),
    ("full-width letters in the token", "\uff32EF30", "REF30"),
    ("ligature in the token", "\ufb01lm", "film"),
    ("sharp s and ss", "Stra\u00dfe", "STRASSE"),
    ("dotless i", "L\u0131ve", "LIVE"),
    ("digits of another script", "REF\u0663\u0660", "REF30"),
    ("U+10FFFF against U+FFFF order", "\U00010000", "\uffff"),
]


def add_requestors(suite):
    for comment, presented, expected in LOOK_ALIKES:
        data, claims = b.token(b.body(requestorID=presented)), b.claims(requestorID=presented)
        suite.add(f"requestor: {comment}", "Requestor", data, "requestor_mismatch", claims, requestor=expected)
    other, claims = b.token(b.body(requestorID="OTHER")), b.claims(requestorID="OTHER")
    suite.add("requestor: another one", "Requestor", other, "requestor_mismatch", claims)
    suite.accept("requestor: another one, expected", "Requestor", other, claims, requestor="OTHER")
    suite.accept("requestor: another one, not checked", "Requestor", other, claims, requestor=None)
    equal = ["RE\u212a", "Te\u0301le\u0301", "T\u00e9l\u00e9", "mml", "*", "a b", "REF30\u200d"]
    for value in equal:
        data, claims = b.token(b.body(requestorID=value)), b.claims(requestorID=value)
        comment = f"requestor: the same octets, {value.encode('ascii', 'backslashreplace').decode()}"
        suite.accept(comment, "Requestor", data, claims, requestor=value)


def add_resources(suite):
    for comment, presented, expected in LOOK_ALIKES:
        data, claims = b.token(b.body(resourceID=presented)), b.claims(resourceID=presented)
        suite.add(f"resource: {comment}", "Resource", data, "resource_mismatch", claims, resource=expected)
    ampersand = b.token(b.body(resourceID="News &amp; Sports"))
    claims = b.claims(resourceID="News & Sports")
    comment = "resource: escaped in the token, plain as expected"
    suite.accept(comment, "Resource", ampersand, claims, resource="News & Sports")
    comment = "resource: the escaped spelling expected"
    suite.add(comment, "Resource", ampersand, "resource_mismatch", claims, resource="News &amp; Sports")
    comment = "resource: percent-encoded expectation"
    suite.add(comment, "Resource", ampersand, "resource_mismatch", claims, resource="News%20%26%20Sports")
    data, claims = b.token(b.body(resourceID="News%20Sports")), b.claims(resourceID="News%20Sports")
    comment = "resource: percent-encoded in the token"
    suite.add(comment, "Resource", data, "resource_mismatch", claims, resource="News Sports")
    suite.accept("resource: percent-encoded in both", "Resource", data, claims, resource="News%20Sports")


def add_media_rss(suite):
    data, claims = b.token(b.body(resourceID=in_cdata(MRSS))), b.claims(resourceID=MRSS)
    others = {
        "trailing space": MRSS + " ",
        "white space between elements": MRSS.replace("><", "> <"),
        "line ends between elements": MRSS.replace("><", ">\n<"),
        "single quotes": MRSS.replace('"', "'"),
        "attributes exchanged": MRSS.replace(' version="2.0"', "").replace('mrss/">', 'mrss/" version="2.0">'),
        "scheme urn:vchip": MRSS.replace("urn:v-chip", "urn:vchip"),
        "title in CDATA": MRSS.replace("Pilot", "<![CDATA[Pilot]]>"),
        "other title": MRSS.replace("Pilot", "Pilots"),
        "other case in the rating": MRSS.replace("tv-pg", "TV-PG"),
        "XML prolog in front": '<?xml version="1.0"?>' + MRSS,
        "in CDATA, as it stands in the token": in_cdata(MRSS),
        "escaped": MRSS.replace("<", "&lt;").replace(">", "&gt;"),
        "only the channel's name": "REF30",
    }
    for comment, expected in others.items():
        suite.add(f"MRSS: expected with {comment}", "Resource", data, "resource_mismatch", claims, resource=expected)
    escaped = MRSS.replace("<", "&lt;").replace(">", "&gt;")
    suite.accept("MRSS: escaped in the token", "Resource", b.token(b.body(resourceID=escaped)), claims, resource=MRSS)
    usual = f"<![CDATA[{MRSS_WITH_CDATA.replace(']]>', ']]]]><![CDATA[>')}]]>"
    claims = b.claims(resourceID=MRSS_WITH_CDATA)
    comment = "MRSS with inner CDATA, split in the usual form"
    suite.accept(comment, "Resource", b.token(b.body(resourceID=usual)), claims, resource=MRSS_WITH_CDATA)
    naive = f"<![CDATA[{MRSS_WITH_CDATA}]]>"
    comment = "MRSS with inner CDATA, not split at all"
    suite.add(comment, "Resource", b.token(b.body(resourceID=naive)), "malformed", resource=MRSS_WITH_CDATA)


def add_unchecked(suite):
    suite.accept("neither requestor nor resource checked", "Normal", TOKEN, requestor=None, resource=None)
    suite.accept("only the requestor checked", "Normal", TOKEN, resource=None)
    suite.accept("only the resource checked", "Normal", TOKEN, requestor=None)
    claims = b.claims()
    comment = "only the requestor checked, and wrong"
    suite.add(comment, "Requestor", TOKEN, "requestor_mismatch", claims, requestor="OTHER", resource=None)
    comment = "only the resource checked, and wrong"
    suite.add(comment, "Resource", TOKEN, "resource_mismatch", claims, requestor=None, resource="OtherChannel")
    comment = "requestor and resource exchanged"
    suite.add(comment, "Requestor", TOKEN, "requestor_mismatch", claims, requestor="TestChannel", resource="REF30")
    unchecked = {"requestor": None, "resource": None}
    suite.add("nothing checked, expired", "Boundary", TOKEN, "expired", claims, at=b.EXPIRES + 1, **unchecked)


def add_order(suite):
    late, early = b.EXPIRES + 1, b.ISSUED - 60_001
    wrong = {"requestor": "OTHER", "resource": "OtherChannel"}
    cases = [
        ("requestor and resource wrong", "requestor_mismatch", {**wrong}),
        ("requestor wrong, expired", "requestor_mismatch", {"requestor": "OTHER", "at": late}),
        ("requestor wrong, not yet valid", "requestor_mismatch", {"requestor": "OTHER", "at": early}),
        ("requestor and resource wrong, expired", "requestor_mismatch", {**wrong, "at": late}),
        ("resource wrong, expired", "expired", {"resource": "OtherChannel", "at": late}),
        ("resource wrong, not yet valid", "not_yet_valid", {"resource": "OtherChannel", "at": early}),
        ("resource wrong", "resource_mismatch", {"resource": "OtherChannel"}),
    ]
    for comment, code, options in cases:
        suite.add(f"order: {comment}", "CheckOrder", TOKEN, code, b.claims(), **options)
    data = b.token(b.body(ttl="0"))
    comment = "order: ttl malformed, everything else wrong too"
    suite.add(comment, "CheckOrder", data, "malformed", at=late, **wrong)
