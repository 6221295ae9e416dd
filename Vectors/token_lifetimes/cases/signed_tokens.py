"""Signed AuthN and AuthZ tokens: forms of input, signatures, and other kinds of tokens."""

from cryptography.hazmat.primitives import hashes

from . import signing as s
from .seq_tokens import MEDIA
from .verifying import accept, accept_authz, refuse

AUTHN, AUTHZ = s.signed(s.authn()), s.signed(s.authz())


def add(suite):
    add_forms(suite)
    add_keys(suite)
    add_signatures(suite)
    add_ampersands(suite)
    add_foreign(suite)


def add_forms(suite):
    flags = "InputForm"
    accept(suite, "AuthN, plain", "Normal", AUTHN, s.authn_fields())
    accept(suite, "AuthZ, plain", "Normal", AUTHZ, s.authz_fields())
    for name, text, fields in [("AuthN", s.authn(), s.authn_fields()), ("AuthZ", s.authz(), s.authz_fields())]:
        token = s.signed(text)
        accept(suite, f"{name}, entity-escaped", flags, s.escaped(token), fields)
        accept(suite, f"{name}, white space around it", flags, f"\r\n {token} \n", fields)
        accept(suite, f"{name}, entity-escaped, white space around it", flags, f"\r\n {s.escaped(token)}\n", fields)
        accept(suite, f"{name}, Base64", flags, s.base64_text(token), fields)
        accept(suite, f"{name}, Base64 twice", flags, s.base64_text(s.base64_text(token)), fields)
        accept(suite, f"{name}, closing marker", flags, s.signed(text, second=s.CLOSING), fields)
        refuse(suite, f"{name}, entity-escaped twice", flags, s.escaped(s.escaped(token)))
        refuse(suite, f"{name}, without signature and markers", flags, text)
        refuse(suite, f"{name}, in the element of a response", flags, f"<t>{s.escaped(token)}</t>")
    numbers = AUTHN.replace("<", "&lt;").replace(">", "&gt;").replace("/", "&#47;").replace("=", "&#x3D;")
    accept(suite, "entity-escaped, some as numbers", flags, numbers, s.authn_fields())
    refuse(suite, "escaped behind the first marker only in part", flags + " Reading",
           s.escaped(AUTHN).replace("&lt;/", "</"))
    refuse(suite, "escaped, with a reference that is none", flags + " Reading",
           s.escaped(AUTHN).replace("adobe", "a&nbsp;dobe"))
    refuse(suite, "empty", flags, "")
    refuse(suite, "markers only", flags, s.OPENING + s.OPENING)
    refuse(suite, "escaped markers only", flags, s.escaped(s.OPENING + s.OPENING))
    refuse(suite, "not UTF-8", flags, s.assemble(b"a" * 256, "").encode() + b"<simpleAuthenticationToken>\xff")
    refuse(suite, "NUL", flags, AUTHN.replace("adobe", "a\x00dobe"))
    refuse(suite, "a quote", flags, f'"{AUTHN}"')
    refuse(suite, "too large", flags, s.signed(s.authn(extra=f"<x>{'a' * 65_536}</x>")), "too_large")


def add_keys(suite):
    flags = "Signature"
    for bits in ("1024", "3072", "4096"):
        token = s.signed(s.authn(), key=f"issuer-{bits}")
        accept(suite, f"AuthN under a key of {bits} bits", flags, token, s.authn_fields(), [f"issuer-{bits}.spki.pem"])
    accept(suite, "AuthZ under a certificate", flags, AUTHZ, s.authz_fields(), ["issuer-2048.cert-v3.pem"])
    accept(suite, "AuthZ, the right key last", flags, AUTHZ, s.authz_fields(),
           ["other-2048.spki.pem", "issuer-1024.spki.pem", "issuer-2048.spki.pem"])
    refuse(suite, "AuthN under another key", flags, s.signed(s.authn(), key="other-2048"), "bad_signature")
    refuse(suite, "AuthZ under another key", flags, s.signed(s.authz(), key="other-2048"), "bad_signature")


def add_signatures(suite):
    flags = "Signature"
    good = s.sign(s.authn())
    flipped = bytes([good[0] ^ 1]) + good[1:]
    bad = {
        "a bit of the signature": s.assemble(flipped, s.authn()),
        "the last octet cut": s.assemble(good[:-1], s.authn()),
        "an octet more": s.assemble(good + b"\0", s.authn()),
        "zeros": s.assemble(bytes(256), s.authn()),
        "the signature of the AuthZ token": s.assemble(s.sign(s.authz()), s.authn()),
        "a changed date": s.assemble(good, s.authn().replace("2026/02/15", "2036/02/15")),
        "a changed offset": s.assemble(good, s.authn().replace("-0800", "-1200")),
        "a changed device": s.assemble(good, s.authn().replace(s.DEVICE, s.DEVICE[::-1])),
        "a changed root": s.assemble(good, s.authn(root="simpleAuthorizationToken")),
        "an element more": s.assemble(good, s.authn(extra="<zAll>true</zAll>")),
        "a space between elements": s.assemble(good, s.authn().replace("><", "> <")),
        "signed without the root's tags": s.assemble(s.sign(s.elements(s.AUTHN)), s.authn()),
        "signed with the second marker": s.assemble(s.sign(s.OPENING + s.authn()), s.authn()),
        "SHA-1": s.signed(s.authn(), digest=hashes.SHA1()),
        "SHA-512": s.signed(s.authn(), digest=hashes.SHA512()),
    }
    for comment, token in bad.items():
        refuse(suite, f"bad signature: {comment}", flags, token, "bad_signature")
    refuse(suite, "bad signature: signed in its escaped form", flags,
           s.assemble(s.sign(s.escaped(s.authn())), s.authn()), "bad_signature")
    refuse(suite, "a bad signature counts for more than a missing element", flags,
           s.assemble(good, s.authn(simpleTokenRequestorID=None)), "bad_signature")
    refuse(suite, "a bad signature counts for more than a foreign root", flags,
           s.signed(MEDIA, key="other-2048"), "bad_signature")
    refuse(suite, "no signature between the markers", flags, s.OPENING + s.OPENING + s.authn())
    refuse(suite, "a signature that is not Base64", flags, f"{s.OPENING}!!!!{s.OPENING}{s.authn()}")
    accept(suite, "a line end behind, not signed", flags, AUTHN + "\n", s.authn_fields())


def add_ampersands(suite):
    flags = "Ampersand"
    bare = s.authz(simpleTokenResourceID="News & Sports")
    repaired = bare.replace("&", "&amp;")
    accept_authz(suite, "bare &, signed as it is", flags, "News & Sports", "News & Sports")
    accept_authz(suite, "& as a reference, signed as it is", flags, "News &amp; Sports", "News & Sports")
    accept_authz(suite, "bare & before a letter", flags, "A&B", "A&B")
    accept_authz(suite, "bare & at the end", flags, "A&", "A&")
    accept_authz(suite, "& alone", flags, "&", "&")
    accept_authz(suite, "three bare &", flags, "A && B&", "A && B&")
    accept_authz(suite, "bare & beside references", flags, "A & B &amp; C &lt; D", "A & B & C < D")
    accept_authz(suite, "bare & beside a semicolon", flags, "A & B; C", "A & B; C")
    accept_authz(suite, "bare & inside CDATA", flags, "<![CDATA[A & B &amp; C]]>", "A & B &amp; C")
    accept_authz(suite, "decoded once only", flags, "A &amp;amp; B", "A &amp; B")
    accept_authz(suite, "an URL with bare &", flags, "http://a.example/?b=1&c=2&d=3", "http://a.example/?b=1&c=2&d=3")
    accept(suite, "bare &, entity-escaped once", flags, s.escaped(s.signed(bare)),
           s.authz_fields(resource="News & Sports"))
    accept(suite, "& as a reference, entity-escaped once", flags, s.escaped(s.signed(repaired)),
           s.authz_fields(resource="News & Sports"))
    refuse(suite, "repaired before verification: not what was signed", flags,
           s.assemble(s.sign(bare), repaired), "bad_signature")
    refuse(suite, "signed in its repaired form, sent bare", flags, s.assemble(s.sign(repaired), bare), "bad_signature")
    refuse(suite, "every & repaired, references too", flags,
           s.assemble(s.sign(repaired), repaired.replace("&", "&amp;")), "bad_signature")
    accept(suite, "bare & in another element", flags,
           s.signed(s.authn(simpleTokenMsoID="A&B")), s.authn_fields(mvpd="A&B"))
    accept(suite, "bare & in an unknown element", flags, s.signed(s.authn(extra="<x>A & B</x>")), s.authn_fields())
    accept_authz(suite, "an entity that XML does not know", flags + " Reading", "A&nbsp;B", "A&nbsp;B")
    accept_authz(suite, "a number without digits", flags + " Reading", "A&#;B", "A&#;B")
    accept_authz(suite, "a reference to NUL", flags + " Reading", "A&#0;B", "A&#0;B")
    accept_authz(suite, "a reference to a surrogate", flags + " Reading", "A&#xD800;B", "A&#xD800;B")


def add_foreign(suite):
    flags = "ForeignToken"
    short = MEDIA.replace("authToken", "shortAuthorizationToken")
    mixed = s.authz(root="authToken")
    foreign = {
        "a media token": s.signed(MEDIA),
        "a media token under its documented root": s.signed(short),
        "a media token in Base64": s.base64_text(s.signed(MEDIA)),
        "a media token, entity-escaped": s.escaped(s.signed(MEDIA)),
        "the elements of an AuthZ token under a media token's root": s.signed(mixed),
        "an empty media token": s.signed("<authToken/>"),
        "a JSON Web Token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJSRUYzMCJ9.AAAA",
        "another service's authToken under XML-DSig":
            '<authToken><ttl>1</ttl><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></authToken>',
    }
    for comment, token in foreign.items():
        refuse(suite, f"foreign: {comment}", flags, token, "foreign_token")
