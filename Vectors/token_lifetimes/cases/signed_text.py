"""What is inside of signed AuthN and AuthZ tokens. Every token here has a good signature."""

from . import signing as s
from .verifying import accept, accept_authz, refuse


def add(suite):
    add_text(suite)
    add_structure(suite)
    add_required(suite)
    add_devices(suite)
    add_dates(suite)
    add_extras(suite)


def add_text(suite):
    flags = "CharacterData"
    mrss = '<rss version="2.0"><channel><title>A & B</title><item><guid>1</guid></item></channel></rss>'
    accept_authz(suite, "MRSS in CDATA", flags, f"<![CDATA[{mrss}]]>", mrss)
    inner = mrss.replace("A & B", "<![CDATA[A & B]]>")
    nested = inner.replace("]]>", "]]]]>><![CDATA[")
    accept_authz(suite, "MRSS in CDATA with a section of its own, as media tokens have it", flags,
                 f"<![CDATA[{nested}]]>", inner)
    accept_authz(suite, "MRSS as escaped text", flags, s.escaped(mrss), mrss)
    accept_authz(suite, "CDATA beside text", flags, "Test<![CDATA[Chan]]>nel", "TestChannel")
    accept_authz(suite, "white space at both ends stays", flags, " TestChannel ", " TestChannel ")
    accept_authz(suite, "a trailing space in CDATA stays", flags, "<![CDATA[TestChannel ]]>", "TestChannel ")
    accept_authz(suite, "NFC", flags, "Caf\u00e9", "Caf\u00e9")
    accept_authz(suite, "NFD", flags, "Cafe\u0301", "Cafe\u0301")
    accept_authz(suite, "a KELVIN SIGN", flags, "\u212a", "\u212a")
    accept_authz(suite, "a number reference", flags, "Test&#67;hannel", "TestChannel")
    refuse(suite, "CDATA without its end", flags, s.signed(s.authz(simpleTokenResourceID="<![CDATA[Test")))
    refuse(suite, "the end of CDATA without its start", flags, s.signed(s.authz(simpleTokenResourceID="Test]]>")))
    refuse(suite, "U+0001", flags, s.signed(s.authz(simpleTokenResourceID="Test\x01")))


def add_structure(suite):
    flags = "Structure"
    pretty = s.authn().replace("><", ">\n  <")
    accept(suite, "pretty-printed", flags, s.signed(pretty), s.authn_fields())
    backwards = s.elements(dict(reversed(s.AUTHZ.items())))
    accept(suite, "elements in reverse order", flags,
           s.signed(f"<simpleAuthorizationToken>{backwards}</simpleAuthorizationToken>"), s.authz_fields())
    for root in ("simpleToken", "simpleauthenticationtoken", "SimpleAuthenticationToken", "authentication", "x"):
        refuse(suite, f"wrong root: {root}", flags, s.signed(s.authn(root=root)))
    refuse(suite, "the elements of an AuthZ token under the AuthN root", flags,
           s.signed(s.authz(root="simpleAuthenticationToken")))
    refuse(suite, "the elements of an AuthN token under the AuthZ root", flags,
           s.signed(s.authn(root="simpleAuthorizationToken")))
    texts = {
        "an empty root": "<simpleAuthenticationToken/>",
        "two roots": s.authn() + s.authz(),
        "text behind the root": s.authn() + "x",
        "text between elements": s.authn().replace("><", ">x<", 1),
        "a comment": s.authn(extra="<!-- x -->"),
        "a comment inside a value": s.authz(simpleTokenResourceID="Test<!-- x -->Channel"),
        "a processing instruction": s.authn(extra="<?x y?>"),
        "a prolog": '<?xml version="1.0"?>' + s.authn(),
        "a DOCTYPE": '<!DOCTYPE x [<!ENTITY e "REF30">]>' + s.authn(simpleTokenRequestorID="&e;"),
        "an attribute of the root": s.authn().replace("<simpleAuthenticationToken", '<simpleAuthenticationToken a="b"'),
        "an attribute of a known element": s.authn().replace("<simpleTokenMsoID>", '<simpleTokenMsoID a="b">'),
        "an element inside a known element": s.authn(simpleTokenMsoID="<x>TestMVPD</x>"),
        "an end tag missing": s.authn().replace("</simpleTokenMsoID>", ""),
        "the root's end tag missing": s.authn().replace("</simpleAuthenticationToken>", ""),
        "end tags crossed": s.authn(extra="<x><y></x></y>"),
        "an unknown element not closed": s.authn(extra="<x><y></y>"),
        "a root inside the root": f"<simpleAuthenticationToken>{s.authn()}</simpleAuthenticationToken>",
    }
    for comment, text in texts.items():
        refuse(suite, f"refused: {comment}", flags, s.signed(text))
    refuse(suite, "refused: a root deep inside unknown elements", flags + " Reading",
           s.signed(s.authn(extra=f"<x><y>{s.authz()}</y></x>")))


def add_required(suite):
    flags = "RequiredElement"
    reading = {"simpleTokenAuthenticationGuid", "simpleTokenExpires", "simpleTokenTTL"}
    required = {
        s.authn: ["simpleTokenAuthenticationGuid", "simpleTokenRequestorID", "simpleTokenExpires", "simpleTokenMsoID"],
        s.authz: ["simpleTokenRequestorID", "simpleTokenResourceID", "simpleTokenTTL", "simpleTokenMsoID"],
    }
    for make, names in required.items():
        for name in names:
            kind = make.__name__.replace("authn", "AuthN").replace("authz", "AuthZ")
            room = " Reading" if name in reading else ""
            refuse(suite, f"{kind} without {name}", flags + room, s.signed(make(**{name: None})))
            refuse(suite, f"{kind} with an empty {name}", flags + room, s.signed(make(**{name: ""})))
            refuse(suite, f"{kind} with {name} twice", flags, s.signed(make(extra=f"<{name}>a</{name}>")))
    same = "<simpleTokenMsoID>TestMVPD</simpleTokenMsoID>"
    refuse(suite, "AuthN with simpleTokenMsoID twice, the same", flags, s.signed(s.authn(extra=same)))
    refuse(suite, "AuthN with simpleTokenDeviceID twice", flags,
           s.signed(s.authn(extra=f"<simpleTokenDeviceID>{s.DEVICE}</simpleTokenDeviceID>")))
    wrong_case = s.authn().replace("simpleTokenMsoID", "simpleTokenMSOID")
    refuse(suite, "AuthN with an element's name in other case", flags, s.signed(wrong_case))
    accept(suite, "AuthN without simpleTokenDomainName", flags + " Reading",
           s.signed(s.authn(simpleTokenDomainName=None)), s.authn_fields())


def add_devices(suite):
    flags = "Device"
    fingerprint = {"simpleTokenDeviceID": None, "simpleTokenFingerprint": s.DEVICE}
    accept(suite, "AuthN with a fingerprint for the device ID", flags, s.signed(s.authn(**fingerprint)),
           s.authn_fields())
    accept(suite, "AuthZ with a fingerprint for the device ID", flags, s.signed(s.authz(**fingerprint)),
           s.authz_fields())
    accept(suite, "the device ID of a browser, 32 digits", flags,
           s.signed(s.authn(simpleTokenDeviceID=s.DEVICE[:32])), s.authn_fields(device=s.DEVICE[:32]))
    accept(suite, "both, the same", flags, s.signed(s.authn(simpleTokenFingerprint=s.DEVICE)), s.authn_fields())
    accept(suite, "both, different: the device ID counts", flags + " Reading",
           s.signed(s.authn(simpleTokenFingerprint=s.DEVICE[::-1])), s.authn_fields())
    accept(suite, "AuthN without a device", flags + " Reading", s.signed(s.authn(simpleTokenDeviceID=None)),
           s.authn_fields(device=None))
    accept(suite, "AuthZ with an empty device", flags + " Reading", s.signed(s.authz(simpleTokenDeviceID="")),
           s.authz_fields(device=None))


def add_dates(suite):
    flags = "Date"
    for comment, text, expires in [
        ("_GMT", "2026/02/15 09:30:00_GMT -0800", s.EXPIRES),
        ("the offset rules, not GMT", "2026/02/15 17:30:00 GMT +0200", s.EXPIRES - 2 * 3_600_000),
        ("29 February", "2028/02/29 00:00:00 GMT +0000", 1_835_395_200_000),
        ("long expired", "2011/03/19 02:29:34 GMT +0200", 1_300_494_574_000),
        ("before 1970", "1969/12/31 23:59:59 GMT +0000", -1000),
        ("written with a reference and CDATA", "2026&#47;02<![CDATA[/15]]> 09:30:00 GMT -0800", s.EXPIRES),
    ]:
        accept(suite, f"AuthN date: {comment}", flags, s.signed(s.authn(simpleTokenExpires=text)),
               s.authn_fields(expires=expires))
        accept(suite, f"AuthZ date: {comment}", flags, s.signed(s.authz(simpleTokenTTL=text)),
               s.authz_fields(expires=expires))
    for comment, text in [
        ("no zone", "2026/02/15 09:30:00"),
        ("GMT without an offset", "2026/02/15 17:30:00 GMT"),
        ("29 February of no leap year", "2026/02/29 09:30:00 GMT -0800"),
        ("epoch seconds", "1771176600"),
        ("a duration in seconds", "2592000"),
        ("a space behind", "2026/02/15 09:30:00 GMT -0800 "),
        ("a word", "never"),
    ]:
        accept(suite, f"AuthN date that cannot be read: {comment}", flags + " Unreadable",
               s.signed(s.authn(simpleTokenExpires=text)), s.authn_fields(expires=None))
        accept(suite, f"AuthZ date that cannot be read: {comment}", flags + " Unreadable",
               s.signed(s.authz(simpleTokenTTL=text)), s.authz_fields(expires=None))


def add_extras(suite):
    flags = "Token"
    fragments = (
        "<simpleTokenDeviceIDFragments>"
        + "".join(f"<{name}>{s.DEVICE}</{name}>" for name in ("BrowserInfo", "PlatformInfo", "VendorInfo", "IpAddr"))
        + "</simpleTokenDeviceIDFragments>"
    )
    saml = "<simpleSamlSessionIndex>AAAA</simpleSamlSessionIndex><simpleSamlNameID>AAAA</simpleSamlNameID>"
    extras = {
        "a browser's fragments of the device ID": fragments,
        "a browser's fragments and ttl": fragments + "<ttl>2592000</ttl>",
        "the SAML session and name": saml,
        "ttl in seconds that fits": "<ttl>2678400</ttl>",
        "ttl in seconds that contradicts the date": "<ttl>60</ttl>",
        "ttl of 0": "<ttl>0</ttl>",
        "ttl in milliseconds": "<ttl>2678400000</ttl>",
        "simpleTransientPartOfGuid": "<simpleTransientPartOfGuid>AAAA</simpleTransientPartOfGuid>",
        "an unknown element": "<newElement>a</newElement>",
        "an unknown empty element": "<newElement/>",
        "an unknown element twice": "<x>1</x><x>2</x>",
        "unknown elements in each other, with text and CDATA": "<x>a<y>b<![CDATA[</y>]]><z/></y>c &amp; d</x>",
        "unknown elements 200 deep": "<x>" * 200 + "</x>" * 200,
        "unknown elements 5000 deep": "<x>" * 5000 + "</x>" * 5000,
    }
    for comment, extra in extras.items():
        room = " Reading" if "5000" in comment else ""
        accept(suite, f"AuthN with {comment}", flags + room, s.signed(s.authn(extra=extra)), s.authn_fields())
    for comment in ("ttl in seconds that contradicts the date", "an unknown element"):
        accept(suite, f"AuthZ with {comment}", flags, s.signed(s.authz(extra=extras[comment])), s.authz_fields())
    resources = "<simpleAuthorizedResources><resource>a</resource></simpleAuthorizedResources>"
    accept(suite, "AuthZ with zAll", flags, s.signed(s.authz(extra="<zAll>true</zAll>")), s.authz_fields())
    accept(suite, "AuthZ with zAll false", flags, s.signed(s.authz(extra="<zAll>false</zAll>")), s.authz_fields())
    accept(suite, "AuthZ with simpleAuthorizedResources", flags, s.signed(s.authz(extra=resources)), s.authz_fields())
    accept(suite, "ttl that is no number", flags + " Reading", s.signed(s.authn(extra="<ttl>soon</ttl>")),
           s.authn_fields())
    accept(suite, "ttl twice", flags + " Reading", s.signed(s.authn(extra="<ttl>1</ttl><ttl>2</ttl>")),
           s.authn_fields())
    accept(suite, "a known name inside an unknown element is not read", flags + " Reading",
           s.signed(s.authn(extra="<x><simpleTokenRequestorID>REF31</simpleTokenRequestorID></x>")), s.authn_fields())
    accept(suite, "AuthN with a degraded service's GUID", flags,
           s.signed(s.authn(simpleTokenAuthenticationGuid="95cf93bcd183214a" + "0" * 24)), s.authn_fields())
    accept(suite, "requestor and MVPD as they stand", flags,
           s.signed(s.authn(simpleTokenRequestorID="ref30 ", simpleTokenMsoID="test\u212aMVPD")),
           s.authn_fields(requestor="ref30 ", mvpd="test\u212aMVPD"))
