"""Tuples that look alike but differ byte by byte, so each is another entry."""

from .replay import case
from .steps import *

# Comment, what is recorded, what is asked for.
LOOK_ALIKES = [
    ("a space behind", "TestChannel", "TestChannel "),
    ("a space in front", "TestChannel", " TestChannel"),
    ("two spaces for one", "Test Channel", "Test  Channel"),
    ("a no-break space for a space", "Test Channel", "Test\u00a0Channel"),
    ("a line end behind", "TestChannel", "TestChannel\n"),
    ("a NUL behind", "TestChannel", "TestChannel\u0000"),
    ("text behind a NUL", "TestChannel\u0000a", "TestChannel\u0000b"),
    ("a byte order mark in front", "TestChannel", "\ufeffTestChannel"),
    ("a zero-width space inside", "TestChannel", "Test\u200bChannel"),
    ("a soft hyphen inside", "TestChannel", "Test\u00adChannel"),
    ("upper case", "TestChannel", "TESTCHANNEL"),
    ("lower case", "TestChannel", "testchannel"),
    ("a KELVIN SIGN", "K1", "\u212a1"),
    ("an ANGSTROM SIGN", "\u00c5", "\u212b"),
    ("an OHM SIGN", "\u03a9", "\u2126"),
    ("NFC and NFD", "Caf\u00e9", "Cafe\u0301"),
    ("NFC and NFD of a Hangul syllable", "\ud55c", "\u1112\u1161\u11ab"),
    ("marks in another order", "a\u0323\u0302", "a\u0302\u0323"),
    ("a GREEK QUESTION MARK for a semicolon", "a;b", "a\u037eb"),
    ("a Cyrillic letter", "TestChannel", "Test\u0421hannel"),
    ("full width", "TNT", "\uff34\uff2e\uff34"),
    ("a ligature", "fi", "\ufb01"),
    ("sharp s", "stra\u00dfe", "strasse"),
    ("a prefix", "TestChannel", "TestChanne"),
    ("one letter more", "TestChannel", "TestChannels"),
    ("an asterisk", "*", "TestChannel"),
    ("a percent sign, as in patterns of SQL", "Test%", "TestChannel"),
    ("percent-encoded", "Test Channel", "Test%20Channel"),
    ("an escaped ampersand", "A&B", "A&amp;B"),
]
MRSS = '<rss version="2.0"><channel><title>TEST</title><item><guid>1</guid></item></channel></rss>'


def add(suite):
    for comment, recorded, asked in LOOK_ALIKES:
        case(suite, f"resource: {comment}", "Key", authz(T + HOUR, recorded), is_authz(UNKNOWN, asked),
             is_authz(valid(HOUR, T + HOUR), recorded), authz(T + 2 * HOUR, asked),
             is_authz(valid(2 * HOUR, T + 2 * HOUR), asked), is_authz(valid(HOUR, T + HOUR), recorded))
    for comment, recorded, asked in [LOOK_ALIKES[index] for index in (0, 5, 10, 12, 15)]:
        case(suite, f"requestor: {comment}", "Key", authn(T + HOUR, r=recorded), is_authn(UNKNOWN, r=asked),
             is_authn(valid(HOUR, T + HOUR), r=recorded), authn(T + DAY, r=asked),
             is_authn(valid(HOUR, T + HOUR), r=recorded))
        case(suite, f"MVPD: {comment}", "Key", authn(T + HOUR, m=recorded), is_authn(UNKNOWN, m=asked),
             is_authn(valid(HOUR, T + HOUR), m=recorded), authn(T + DAY, m=asked),
             is_authn(valid(HOUR, T + HOUR), m=recorded))
    add_structured_resources(suite)
    add_separation(suite)
    add_joined(suite)
    add_removal(suite)


def add_structured_resources(suite):
    spaced = MRSS.replace("><channel>", "> <channel>")
    case(suite, "MRSS resources are compared as texts", "Key", authz(T + HOUR, MRSS),
         is_authz(valid(HOUR, T + HOUR), MRSS), is_authz(UNKNOWN, spaced), is_authz(UNKNOWN, MRSS + " "),
         is_authz(UNKNOWN, MRSS.replace('"', "'")))
    long = MRSS.replace("TEST", "T" * 3000)
    case(suite, "long resources that differ in their last letter", "Key", authz(T + HOUR, long + "a"),
         is_authz(valid(HOUR, T + HOUR), long + "a"), is_authz(UNKNOWN, long + "b"))
    case(suite, "empty identifiers are refused", "Key Reading", refused(authz(T + HOUR, "")),
         refused(authz(T + HOUR, r="")), refused(authz(T + HOUR, m="")), refused(authn(T + HOUR, r="")),
         refused(authn(T + HOUR, m="")), refused(authn(T + HOUR, device="")), refused(select("")),
         refused(select(r="")), refused(device_changed("")), next_expiry(None), is_device(None), is_selected(None))
    case(suite, "a space is an identifier", "Key", authz(T + HOUR, " ", r=" ", m=" "),
         is_authz(valid(HOUR, T + HOUR), " ", r=" ", m=" "), is_authz(UNKNOWN, "  ", r=" ", m=" "))


def add_separation(suite):
    case(suite, "two requestors", "Key", authn(T + HOUR), authn(T + DAY, r=R2), is_authn(valid(HOUR, T + HOUR)),
         is_authn(valid(DAY, T + DAY), r=R2))
    case(suite, "two MVPDs of one requestor", "Key", authn(T + HOUR), authn(T + DAY, m=M2),
         is_authn(valid(HOUR, T + HOUR)), is_authn(valid(DAY, T + DAY), m=M2))
    case(suite, "two resources", "Key", authz(T + HOUR), authz(T + DAY, X2), is_authz(valid(HOUR, T + HOUR)),
         is_authz(valid(DAY, T + DAY), X2))
    case(suite, "one resource of two requestors and two MVPDs", "Key", authz(T + HOUR), authz(T + 2 * HOUR, r=R2),
         authz(T + 3 * HOUR, m=M2), is_authz(valid(HOUR, T + HOUR)), is_authz(valid(2 * HOUR, T + 2 * HOUR), r=R2),
         is_authz(valid(3 * HOUR, T + 3 * HOUR), m=M2), is_authz(UNKNOWN, r=R2, m=M2))
    case(suite, "one text in all three places", "Key", authz(T + HOUR, "A", r="A", m="A"),
         is_authz(valid(HOUR, T + HOUR), "A", r="A", m="A"), is_authn(UNKNOWN, r="A", m="A"))
    case(suite, "requestor and MVPD changed about", "Key", authn(T + HOUR, r="A", m="B"),
         is_authn(UNKNOWN, r="B", m="A"), is_authn(valid(HOUR, T + HOUR), r="A", m="B"))
    case(suite, "MVPD and resource changed about", "Key", authz(T + HOUR, "B", m="A"), is_authz(UNKNOWN, "A", m="B"),
         is_authz(valid(HOUR, T + HOUR), "B", m="A"))


def add_joined(suite):
    joints = {
        "nothing": "", "a colon": ":", "a slash": "/", "a bar": "|", "a comma": ",", "a dot": ".", "a hyphen": "-",
        "a NUL": "\u0000", "a tab": "\t", "a line end": "\n", "U+001F": "\u001f", "a space": " ", "quotes": '","',
    }
    for comment, joint in joints.items():
        one, other = ("A" + joint + "B", "C"), ("A", "B" + joint + "C")
        case(suite, f"the same if joined by {comment}", "Key", authn(T + HOUR, r=one[0], m=one[1]),
             is_authn(UNKNOWN, r=other[0], m=other[1]), authz(T + DAY, "C" + joint + "D", r="A", m="B"),
             is_authz(UNKNOWN, "D", r="A", m="B" + joint + "C"), is_authz(UNKNOWN, "D", r="A" + joint + "B", m="C"),
             is_authn(UNKNOWN, r="A", m="B" + joint + "C" + joint + "D"),
             is_authn(valid(HOUR, T + HOUR), r=one[0], m=one[1]),
             is_authz(valid(DAY, T + DAY), "C" + joint + "D", r="A", m="B"))
    case(suite, "the same if joined with lengths that are not fenced off", "Key",
         authn(T + HOUR, r="1A", m="B"), is_authn(UNKNOWN, r="1", m="AB"), authn(T + DAY, r="A11B", m="C"),
         is_authn(UNKNOWN, r="A", m="1BC"))
    case(suite, "a refused empty resource does not touch the authentication", "Key Reading", authn(T + DAY),
         refused(authz(T + HOUR, "")), is_authn(valid(DAY, T + DAY)))


def add_removal(suite):
    look_alike = "\u212aMVPD"
    case(suite, "logout of an MVPD leaves its look-alike", "Key Leaving", authn(T + HOUR, m="KMVPD"),
         authn(T + HOUR, m=look_alike), logout_of("KMVPD"), is_authn(UNKNOWN, m="KMVPD"),
         is_authn(valid(HOUR, T + HOUR), m=look_alike))
    case(suite, "a 404 about a resource leaves its look-alike", "Key Server", authz(T + HOUR, "Caf\u00e9"),
         authz(T + HOUR, "Cafe\u0301"), answered_authz(404, "Cafe\u0301"), is_authz(UNKNOWN, "Cafe\u0301"),
         is_authz(valid(HOUR, T + HOUR), "Caf\u00e9"))
    case(suite, "a changed MVPD leaves the requestor's look-alike", "Key Leaving", select(M, r="REF30"),
         select(M, r="ref30"), authz(T + HOUR, r="REF30"), authz(T + HOUR, r="ref30"), select(M2, r="REF30"),
         is_authz(UNKNOWN, r="REF30"), is_authz(valid(HOUR, T + HOUR), r="ref30"))
    case(suite, "a list of issuers is compared octet by octet", "Key Issuer", authn(T + HOUR, m="Caf\u00e9"),
         allow("Cafe\u0301"), is_authn(UNKNOWN, m="Caf\u00e9"))
    case(suite, "an MVPD in another spelling is another choice", "Key Leaving", select("K1"), authz(T + HOUR, m="K1"),
         select("\u212a1"), is_authz(UNKNOWN, m="K1"))
    case(suite, "a device in other case is another device", "Key Device", device_changed(PHONE),
         authn(T + HOUR, device=PHONE), device_changed(PHONE.upper()), is_authn(UNKNOWN))
