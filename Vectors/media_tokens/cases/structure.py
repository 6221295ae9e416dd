"""The shape of the signed body. Every token here has a good signature."""

from . import builder as b
from .signatures import entity_bomb

BODY = b.body()
INNER = b.elements()


def add(suite):
    add_roots(suite)
    add_foreign_roots(suite)
    add_layout(suite)
    add_unknown(suite)
    add_required(suite)
    add_doubled(suite)
    add_proxy(suite)
    add_attributes(suite)
    add_nesting(suite)
    add_stray_text(suite)
    add_tags(suite)
    add_comments(suite)
    add_declarations(suite)


def refuse(suite, comment, flags, text, **options):
    suite.add(comment, flags, b.token(text), "malformed", **options)


def add_roots(suite):
    flags = "Structure"
    suite.accept("root shortAuthorizationToken", flags, b.token(b.body(root="shortAuthorizationToken")))
    roots = ["token", "authtoken", "AuthToken", "AUTHTOKEN", "authTokens", "authToke", "shortauthorizationtoken",
             "authorizationToken", "x", "simpleauthenticationtoken", "simpleToken"]
    for root in roots:
        refuse(suite, f"root {root}", flags, b.body(root=root))
    refuse(suite, "root with a prefix", flags, b.body(root="x:authToken"))
    refuse(suite, "no root: the children only", flags, INNER)
    refuse(suite, "root empty", flags, "<authToken></authToken>")
    refuse(suite, "root empty, short form", flags, "<authToken/>")
    refuse(suite, "roots differ between start and end", flags, f"<authToken>{INNER}</shortAuthorizationToken>")
    refuse(suite, "root not closed", flags, f"<authToken>{INNER}")
    refuse(suite, "root's end tag cut", flags, f"<authToken>{INNER}</authToken")
    refuse(suite, "root closed twice", flags, BODY + "</authToken>")
    refuse(suite, "a second root behind", flags, BODY + BODY)
    refuse(suite, "a second, empty root behind", flags, BODY + "<authToken/>")
    refuse(suite, "the other root behind", flags, BODY + b.body(root="shortAuthorizationToken"))
    refuse(suite, "another element behind the root", flags, BODY + "<x/>")
    refuse(suite, "text behind the root", flags, BODY + "x")
    refuse(suite, "a NUL-width space behind the root", flags, BODY + "\u200b")
    refuse(suite, "CDATA behind the root", flags, BODY + "<![CDATA[]]>")
    refuse(suite, "a reference behind the root", flags, BODY + "&#32;")
    refuse(suite, "text in front of the root", flags, "x" + BODY)
    refuse(suite, "a space in front of the root", flags, " " + BODY)
    refuse(suite, "a byte order mark in front of the root", flags, "\ufeff" + BODY)
    refuse(suite, "root inside CDATA", flags, f"<![CDATA[{BODY}]]>")
    refuse(suite, "body escaped", flags, BODY.replace("<", "&lt;").replace(">", "&gt;"))


AUTHN = (
    "<simpleAuthenticationToken><simpleTokenAuthenticationGuid>4f1d</simpleTokenAuthenticationGuid>"
    "<simpleTokenRequestorID>REF30</simpleTokenRequestorID><simpleTokenDomainName>example.com</simpleTokenDomainName>"
    "<simpleTokenExpires>2026/02/15 17:30:00 GMT -0800</simpleTokenExpires>"
    "<simpleTokenMsoID>TestMVPD</simpleTokenMsoID></simpleAuthenticationToken>"
)
AUTHZ = (
    "<simpleAuthorizationToken><simpleTokenRequestorID>REF30</simpleTokenRequestorID>"
    "<simpleTokenResourceID>TestChannel</simpleTokenResourceID><simpleTokenMsoID>TestMVPD</simpleTokenMsoID>"
    "</simpleAuthorizationToken>"
)


def add_foreign_roots(suite):
    """Signed by the same key by the same rule, and still no media tokens."""
    flags = "ForeignToken"
    tokens = {
        "AuthN token": b.token(AUTHN),
        "AuthZ token": b.token(AUTHZ),
        "AuthN token, closing marker": b.token(AUTHN, second=b.CLOSING),
        "AuthN token in Base64": b.standard(b.token(AUTHN)),
        "AuthZ token, percent-encoded": b.percent(b.token(AUTHZ)),
        "AuthZ token with a bare &": b.token(AUTHZ.replace("TestChannel", "News & Sports")),
        "AuthN token, line end behind": b.token(AUTHN) + b"\n",
        "AuthN root around the elements of a media token": b.token(b.body(root="simpleAuthenticationToken")),
        "AuthZ root around the elements of a media token": b.token(b.body(root="simpleAuthorizationToken")),
        "AuthN root, empty": b.token("<simpleAuthenticationToken></simpleAuthenticationToken>"),
    }
    for comment, data in tokens.items():
        suite.add(f"{comment}, good signature", flags, data, "foreign_token")
    comment = "AuthN token, good signature, nothing checked"
    suite.add(comment, flags, b.token(AUTHN), "foreign_token", requestor=None, resource=None)
    comment = "AuthN token, signed by another key"
    suite.add(comment, flags, b.token(AUTHN, "other-2048"), "bad_signature")


def add_layout(suite):
    flags = "Structure"
    pretty = BODY.replace("><", ">\n    <").replace("    </authToken>", "</authToken>")
    texts = {
        "pretty-printed with LF": pretty,
        "pretty-printed with CR LF": pretty.replace("\n", "\r\n"),
        "pretty-printed with CR": pretty.replace("\n", "\r"),
        "tabs between the elements": BODY.replace("><", ">\t<"),
        "pretty-printed, other root": b.body(root="shortAuthorizationToken").replace("><", ">\n<"),
        "a space before the > of every tag": BODY.replace(">", " >"),
        "a line end before the > of a start tag": BODY.replace("<ttl>", "<ttl\r\n>"),
        "a tab before the > of an end tag": BODY.replace("</ttl>", "</ttl\t>"),
        "white space before the > of the root's tags": BODY.replace("authToken>", "authToken \n>"),
        "elements in reverse order": f"<authToken>{reverse_elements()}</authToken>",
        "resource first, session last": BODY.replace(element("sessionGUID"), "").replace(
            "</authToken>", element("sessionGUID") + "</authToken>"
        ),
    }
    for comment, text in texts.items():
        suite.accept(comment, flags, b.token(text))


def element(name):
    return f"<{name}>{b.FIELDS[name]}</{name}>"


def reverse_elements():
    return "".join(element(name) for name in reversed(b.FIELDS))


def add_unknown(suite):
    flags = "Structure"
    unknown = {
        "with text": "<inboundMVPD>OtherMVPD</inboundMVPD>",
        "empty": "<x></x>",
        "empty, short form": "<x/>",
        "empty, short form with a space": "<x />",
        "twice": "<x>1</x><x>2</x>",
        "with CDATA": "<x><![CDATA[<ttl>1</ttl> & more]]></x>",
        "with references": "<x>&lt;ttl&gt;1&#38;&#x26;</x>",
        "whose name has all signs that are allowed": "<_Some-thing.2_x>1</_Some-thing.2_x>",
        "whose name starts like a known one": "<ttlx>1</ttlx><tt>1</tt>",
        "whose name is a known one in other case": "<TTL>1</TTL><requestorId>OTHER</requestorId>",
        "whose name starts like a marker": "<signatureInfos>x</signatureInfos>",
        "with white space only": "<x> \r\n\t </x>",
    }
    for comment, extra in unknown.items():
        suite.accept(f"unknown element {comment}", flags, b.token(b.body(extra=extra)))
    text = BODY.replace("<authToken>", "<authToken><first>1</first>").replace("<ttl>", "<middle/><ttl>")
    suite.accept("unknown elements in front and in the middle", flags, b.token(text))
    bad = {
        "with a bare &": "<x>a & b</x>",
        "with an unknown entity": "<x>&nbsp;</x>",
        "with ]]>": "<x>]]></x>",
        "with a control character": "<x>\x01</x>",
        "not closed": "<x>",
        "closed under another name": "<x></y>",
        "that holds a known element": "<x><ttl>1</ttl></x>",
        "with a prefix": "<media:x>1</media:x>",
        "with an attribute": '<x a="1">1</x>',
        "whose name starts with a digit": "<1x>1</1x>",
        "whose name starts with a hyphen": "<-x>1</-x>",
        "whose name starts with a full stop": "<.x>1</.x>",
        "whose name is not ASCII": "<\u00e9>1</\u00e9>",
        "whose name goes on in non-ASCII": "<x\u00e9>1</x\u00e9>",
        "whose name has an exclamation mark": "<x!>1</x!>",
    }
    for comment, extra in bad.items():
        refuse(suite, f"unknown element {comment}", flags, b.body(extra=extra))


def add_required(suite):
    flags = "RequiredElement"
    for name in b.FIELDS:
        refuse(suite, f"{name} missing", flags, b.body(**{name: None}))
        refuse(suite, f"{name} empty", flags, b.body(**{name: ""}))
        short = BODY.replace(element(name), f"<{name}/>")
        refuse(suite, f"{name} empty, short form", flags, short)
    refuse(suite, "mvpdId holds only an empty CDATA section", flags, b.body(mvpdId="<![CDATA[]]>"))
    refuse(suite, "requestorID in other case only", flags, BODY.replace("requestorID", "requestorId"))
    refuse(suite, "only the proxy, no mvpdId", flags, b.body(mvpdId=None, proxyMvpdId="TestProxy"))
    comment = "requestorID missing, requestor not checked"
    refuse(suite, comment, flags, b.body(requestorID=None), requestor=None)
    refuse(suite, "resourceID empty, resource not checked", flags, b.body(resourceID=""), resource=None)
    claims = b.claims(mvpdId=" ")
    suite.accept("mvpdId is a space: not empty", flags, b.token(b.body(mvpdId=" ")), claims)


def add_doubled(suite):
    flags = "RequiredElement"
    for name, value in b.FIELDS.items():
        refuse(suite, f"{name} twice, the same value", flags, b.body(extra=element(name)))
    others = {"requestorID": "OTHER", "resourceID": "OtherChannel", "ttl": "86400000"}
    for name, value in others.items():
        refuse(suite, f"{name} twice, another value behind", flags, b.body(extra=f"<{name}>{value}</{name}>"))
        text = BODY.replace("<authToken>", f"<authToken><{name}>{value}</{name}>")
        refuse(suite, f"{name} twice, another value in front", flags, text)
    refuse(suite, "ttl twice, one of them empty", flags, b.body(extra="<ttl/>"))
    proxies = {"two values": ("A", "B"), "both empty": ("", ""), "the first empty": ("", "A")}
    for comment, (one, two) in proxies.items():
        extra = f"<proxyMvpdId>{one}</proxyMvpdId><proxyMvpdId>{two}</proxyMvpdId>"
        refuse(suite, f"proxyMvpdId twice, {comment}", flags, b.body(extra=extra))


def add_proxy(suite):
    flags = "RequiredElement"
    for comment, extra in {
        "empty": "<proxyMvpdId></proxyMvpdId>",
        "empty, short form": "<proxyMvpdId/>",
        "an empty CDATA section": "<proxyMvpdId><![CDATA[]]></proxyMvpdId>",
    }.items():
        suite.accept(f"proxyMvpdId {comment}: absent", flags, b.token(b.body(extra=extra)))
    text = BODY.replace("<authToken>", "<authToken><proxyMvpdId>P\u00e9 &amp; Q</proxyMvpdId>")
    suite.accept("proxyMvpdId in front", flags, b.token(text), b.claims(proxyMvpdId="P\u00e9 & Q"))
    suite.accept("proxyMvpdId is a space", flags, b.token(b.body(proxyMvpdId=" ")), b.claims(proxyMvpdId=" "))


def add_attributes(suite):
    flags = "Structure"
    texts = {
        "on the root": BODY.replace("<authToken>", '<authToken version="1">'),
        "a namespace on the root": BODY.replace("<authToken>", '<authToken xmlns="urn:x">'),
        "on a known element": BODY.replace("<ttl>", '<ttl unit="s">'),
        "in single quotes": BODY.replace("<ttl>", "<ttl unit='s'>"),
        "without quotes": BODY.replace("<ttl>", "<ttl unit=s>"),
        "without a value": BODY.replace("<ttl>", "<ttl x>"),
        "on an end tag": BODY.replace("</ttl>", '</ttl x="1">'),
        "xml:space": BODY.replace("<ttl>", '<ttl xml:space="preserve">'),
        "with a > inside": BODY.replace("<ttl>", '<ttl x=">">'),
    }
    for comment, text in texts.items():
        refuse(suite, f"attribute {comment}", flags, text)


def add_nesting(suite):
    flags = "Structure"
    texts = {
        "an element inside ttl": b.body(ttl="<x>420000</x>"),
        "an empty element inside requestorID": b.body(requestorID="REF30<x/>"),
        "an element inside resourceID, MRSS not in CDATA": b.body(resourceID="<rss><channel/></rss>"),
        "known elements inside each other": b.body(mvpdId="TestMVPD<proxyMvpdId>P</proxyMvpdId>"),
        "root in root": f"<authToken>{BODY}</authToken>",
        "root in the other root": f"<shortAuthorizationToken>{BODY}</shortAuthorizationToken>",
        "an empty child named like the root": b.body(extra="<authToken/>"),
        "a child with text named like the root": b.body(extra="<authToken>x</authToken>"),
        "an empty child named like the other root": b.body(extra="<shortAuthorizationToken/>"),
        "an empty child named like an AuthN token": b.body(extra="<simpleAuthenticationToken/>"),
        "elements that overlap": BODY.replace("</ttl><issueTime>", "<issueTime></ttl>"),
    }
    for comment, text in texts.items():
        refuse(suite, comment, flags, text)


def add_stray_text(suite):
    flags = "Structure"
    between = {
        "a letter": "x",
        "a comma": ",",
        "a >": ">",
        "a no-break space": "\u00a0",
        "a byte order mark": "\ufeff",
        "a line separator": "\u2028",
        "next line (NEL)": "\u0085",
        "vertical tab": "\v",
        "a reference to a space": "&#32;",
        "a bare &": "&",
        "an empty CDATA section": "<![CDATA[]]>",
        "a space in CDATA": "<![CDATA[ ]]>",
        "]]>": "]]>",
    }
    for comment, text in between.items():
        refuse(suite, f"between two elements: {comment}", flags, BODY.replace("<ttl>", f"{text}<ttl>"))
    refuse(suite, "text behind the root's start tag", flags, BODY.replace("<authToken>", "<authToken>x"))
    refuse(suite, "text before the root's end tag", flags, b.body(extra="x"))


def add_tags(suite):
    flags = "Structure"
    texts = {
        "a space behind <": BODY.replace("<ttl>", "< ttl>"),
        "a space behind </": BODY.replace("</ttl>", "</ ttl>"),
        "a space between < and /": BODY.replace("</ttl>", "< /ttl>"),
        "a space between / and >": b.body(extra="<x/ >"),
        "an empty name": BODY.replace("<ttl>", "<>"),
        "an empty end tag": BODY.replace("</ttl>", "</>"),
        "end tag in other case": BODY.replace("</ttl>", "</TTL>"),
        "end tag of another element": BODY.replace("</ttl>", "</mvpdId>"),
        "end tag longer": BODY.replace("</ttl>", "</ttls>"),
        "end tag shorter": BODY.replace("</ttl>", "</tt>"),
        "end tag missing": BODY.replace("</ttl>", ""),
        "start tag missing": BODY.replace("<ttl>", ""),
        "end tag with a slash at its end": BODY.replace("</ttl>", "</ttl/>"),
        "start tag not ended": BODY.replace("<ttl>", "<ttl"),
        "no-break space in a tag": BODY.replace("<ttl>", "<ttl\u00a0>"),
        "vertical tab in a tag": BODY.replace("<ttl>", "<ttl\v>"),
        "two < in a row": BODY.replace("<ttl>", "<<ttl>"),
        "two > in a row": BODY.replace("</ttl>", "</ttl>>"),
        "full-width letters in a name": BODY.replace("ttl", "ｔｔｌ"),
    }
    for comment, text in texts.items():
        refuse(suite, f"tag: {comment}", flags, text)


def add_comments(suite):
    flags = "Comment"
    for name, markup in {"comment": "<!---->", "processing instruction": "<?x?>"}.items():
        places = {
            "in front of the root": markup + BODY,
            "behind the root": BODY + markup,
            "behind the root's start tag": BODY.replace("<authToken>", "<authToken>" + markup),
            "between two elements": BODY.replace("<ttl>", markup + "<ttl>"),
            "between the digits of ttl": b.body(ttl=f"420{markup}000"),
            "inside requestorID, so that the front is the expected value": b.body(requestorID=f"REF30{markup}.evil"),
            "inside resourceID, so that the end is the expected value": b.body(resourceID=f"x{markup}TestChannel"),
            "in the issue time": b.body(issueTime=f"2026-01-15 {markup}09:30:00 -0800"),
            "inside a tag": BODY.replace("<ttl>", f"<ttl {markup}>"),
            "inside an unknown element": b.body(extra=f"<x>{markup}</x>"),
        }
        for place, text in places.items():
            refuse(suite, f"{name} {place}", flags, text)
    refuse(suite, "comment with text", flags, BODY.replace("<ttl>", "<!-- no -- thing --><ttl>"))
    refuse(suite, "comment that hides an element", flags, BODY.replace("<ttl>", "<!--<ttl>1</ttl>--><ttl>"))
    refuse(suite, "comment not ended", flags, BODY.replace("<ttl>", "<!-- <ttl>"))
    refuse(suite, "XML prolog in front, signed", flags, '<?xml version="1.0" encoding="UTF-8"?>' + BODY)
    refuse(suite, "style sheet instruction, signed", flags, '<?xml-stylesheet href="http://example.com/"?>' + BODY)
    text = b.body(resourceID="<![CDATA[a<!-- b -->c<?d?>]]>")
    value = "a<!-- b -->c<?d?>"
    comment = "what looks like a comment inside CDATA is text"
    suite.accept(comment, flags, b.token(text), b.claims(resourceID=value), resource=value)


def add_declarations(suite):
    flags = "EntityExpansion"
    external = '<!DOCTYPE authToken [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    texts = {
        "DOCTYPE": "<!DOCTYPE authToken>" + BODY,
        "DOCTYPE in lower case": "<!doctype authToken>" + BODY,
        "DOCTYPE with an internal entity": '<!DOCTYPE authToken [<!ENTITY x "REF30">]>' + b.body(requestorID="&x;"),
        "DOCTYPE with a file as entity": external + b.body(requestorID="&x;"),
        "DOCTYPE with an address": '<!DOCTYPE authToken SYSTEM "http://example.com/x.dtd">' + BODY,
        "DOCTYPE with a parameter entity": '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://example.com/x">%x;]>' + BODY,
        "DOCTYPE behind the root": BODY + "<!DOCTYPE authToken>",
        "DOCTYPE inside the root": BODY.replace("<ttl>", "<!DOCTYPE authToken><ttl>"),
        "entity bomb": entity_bomb(),
        "entity bomb of self-reference": '<!DOCTYPE a [<!ENTITY x "&x;&x;">]>' + b.body(mvpdId="&x;"),
        "entity declaration inside the root": BODY.replace("<ttl>", '<!ENTITY x "1"><ttl>'),
        "element declaration inside the root": BODY.replace("<ttl>", "<!ELEMENT x ANY><ttl>"),
        "conditional section inside the root": BODY.replace("<ttl>", "<![INCLUDE[<ttl>").replace("</ttl>", "</ttl>]]>"),
        "XInclude": b.body(extra='<xi:include href="file:///etc/hostname"/>'),
    }
    for comment, text in texts.items():
        refuse(suite, f"{comment}, signed", flags, text)
