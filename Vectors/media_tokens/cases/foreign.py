"""Other kinds of tokens, recognised by their look."""

from . import builder as b

JWT_HEAD = b.unpadded(b.url_safe(b'{"alg":"RS256","typ":"JWT"}'))
JWT_BODY = b.unpadded(b.url_safe(b'{"iss":"REF30","sub":"TestChannel"}'))
DSIG_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#"
DSIG = (
    f'<Signature xmlns="{DSIG_NAMESPACE}"><SignedInfo><SignatureMethod Algorithm="{DSIG_NAMESPACE}rsa-sha1"/>'
    "</SignedInfo><SignatureValue>AAAA</SignatureValue></Signature>"
)
LOOK_ALIKE = (
    "<authToken><titleID>4711</titleID><opaqueUserID>5f2b8c0d</opaqueUserID><ttl>300000</ttl>"
    f"<issueTime>2026-01-15T17:30:00+0000</issueTime>{DSIG}</authToken>"
)
PROLOG = '<?xml version="1.0" encoding="UTF-8"?>'


def add(suite):
    add_web_tokens(suite)
    add_signed_xml(suite)


def add_web_tokens(suite):
    signed = JWT_HEAD + b"." + JWT_BODY
    jwt = signed + b"." + b.unpadded(b.url_safe(b.sign(signed)))
    part = b.unpadded(b.url_safe(b"part of a JWE"))
    unsecured = b.unpadded(b.url_safe(b'{"alg":"none"}'))
    flags = "ForeignToken"
    foreign = {
        "JWT, signed by the trusted key": jwt,
        "JWT, white space around it": b"\n " + jwt + b" \r\n",
        "JWT without a signature (alg none)": unsecured + b"." + JWT_BODY + b".",
        "JWE": b".".join([JWT_HEAD, part, part, part, part]),
        "JWE without an encrypted key (dir)": b".".join([JWT_HEAD, b"", part, part, part]),
    }
    for comment, data in foreign.items():
        suite.add(comment, flags, data, "foreign_token")
    malformed = {
        "two parts": signed,
        "four parts": b".".join([JWT_HEAD, part, part, part]),
        "six parts": b".".join([JWT_HEAD, part, part, part, part, part]),
        "three parts, the first not JSON": b"abc." + JWT_BODY + b".abc",
        "three parts, one with a sign outside the alphabet": signed + b".a*b",
        "three parts, one with a sign of the standard alphabet": signed + b".a+b",
        "Bearer in front of a JWT": b"Bearer " + jwt,
    }
    for comment, data in malformed.items():
        suite.add(comment, flags, data, "malformed")
    suite.add("a JWT in Base64", flags, b.standard(jwt), "foreign_token")


def add_signed_xml(suite):
    flags = "ForeignToken"
    prefixed = f'<authToken xmlns:ds="{DSIG_NAMESPACE}"><ttl>1</ttl><ds:Signature/></authToken>'
    foreign = {
        "XML-DSig authToken with prolog": PROLOG + LOOK_ALIKE,
        "XML-DSig authToken without prolog": LOOK_ALIKE,
        "XML-DSig authToken, line ends after the prolog": PROLOG + "\r\n\n" + LOOK_ALIKE,
        "XML-DSig authToken, white space in front": "\n " + LOOK_ALIKE,
        "XML-DSig authToken, byte order mark in front": "\ufeff" + PROLOG + LOOK_ALIKE,
        "XML-DSig authToken with a prefix": prefixed,
        "XML-DSig authToken with an ID attribute": LOOK_ALIKE.replace("<authToken>", '<authToken ID="a1">'),
        "XML-DSig authToken with a serializedToken inside": LOOK_ALIKE.replace("<ttl>", "<serializedToken/><ttl>"),
        "XML-DSig authToken in Base64": b.standard(LOOK_ALIKE.encode()),
        "XML-DSig authToken with prolog, in Base64 twice": b.standard(b.standard((PROLOG + LOOK_ALIKE).encode())),
    }
    for comment, text in foreign.items():
        suite.add(comment, flags, text, "foreign_token")
    malformed = {
        "the body of a token alone, without markers": b.body(),
        "the body alone, with prolog": PROLOG + b.body(),
        "XML-DSig under another root": LOOK_ALIKE.replace("authToken", "otherToken"),
        "XML-DSig under a root that only starts alike": LOOK_ALIKE.replace("authToken", "authTokens"),
        "XML-DSig authToken behind a declaration without its end": LOOK_ALIKE.replace("<authToken>", "<?xml a><authToken>"),
        "XML-DSig under a root in other case": LOOK_ALIKE.replace("authToken", "AuthToken"),
        "the body alone, in Base64": b.standard(b.body().encode()),
    }
    for comment, text in malformed.items():
        suite.add(comment, flags, text, "malformed")
    comment = "XML-DSig look-alike inside the markers: an ordinary bad signature"
    suite.add(comment, flags, b.assemble(b.base64_text(b.sign(b.body())), LOOK_ALIKE), "bad_signature")
    comment = "XML-DSig look-alike inside the markers, signed: attributes and nested elements"
    suite.add(comment, flags, b.token(LOOK_ALIKE), "malformed")
    comment = "an AuthZ root without content and text behind it, signed: the root decides"
    suite.add(comment, flags, b.token("<simpleAuthorizationToken/>x"), "foreign_token")
