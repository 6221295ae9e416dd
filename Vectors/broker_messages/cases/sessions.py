"""Authentication sessions: started, resumed, or with the device's partner."""

import base64

from . import builder as b

KIND = "session"

# Times are strings of digits, as brokers send them.
WIRE = {
    "actionName": "authenticate", "actionType": "interactive", "reasonType": "none",
    "url": f"/api/v2/authenticate/WAVE/{b.CODE}", "code": b.CODE, "sessionId": b.SESSION, "mvpd": "NorthCable",
    "serviceProvider": "WAVE", "notBefore": str(b.START), "notAfter": str(b.END),
}
READ = WIRE | {"missingParameters": [], "notBefore": b.START, "notAfter": b.END}
XML = '<?xml version="1.0" encoding="UTF-8"?><AuthnRequest ID="_1"/>'
REQUEST = {"type": "saml", "request": base64.b64encode(XML.encode()).decode(), "attributesNames": ["uid", "household"]}
PARTNER = {
    "actionName": "partner_profile", "actionType": "direct", "url": "/api/v2/WAVE/profiles/sso/Apple", "code": ...,
    "notBefore": ..., "notAfter": ...,
}
REASONS = [
    "none", "authenticated", "temporary", "degraded", "authenticatedSSO", "pfs_fallback", "configuration_fallback",
    "missing_parameters_fallback", "another",
]
NAMES = ["mvpd", "domain", "domainName", "redirectUrl", "another"]


def wire(**changes):
    return b.changed(WIRE, changes)


def read(**changes):
    return b.changed(READ, changes)


def add(suite):
    def accept(comment, given, expected, flags="Session", faults=()):
        suite.accept(KIND, comment, flags, given, expected, faults)

    def refuse(comment, given, code, path, flags="Session WrongType"):
        suite.refuse(KIND, comment, flags, given, code, path)

    def both(comment, flags="Session", **changes):
        accept(comment, wire(**changes), read(**changes), flags)

    both("the user signs in at the provider")
    both("parameters are missing", actionName="resume", actionType="direct", mvpd=...,
         url=f"/api/v2/WAVE/sessions/{b.CODE}", missingParameters=["mvpd", "domain", "redirectUrl"])
    both("parameters are still missing", actionName="retry", actionType="direct", missingParameters=["redirectUrl"])
    for reason in ("authenticated", "temporary", "degraded", "authenticatedSSO"):
        both(f"authorize, since the user is {reason}", actionName="authorize", actionType="direct", code=...,
             reasonType=reason, url=f"/api/v2/WAVE/decisions/authorize/{reason}", notBefore=..., notAfter=...)
    for reason in REASONS:
        both(f"an interactive session, reason {reason}", reasonType=reason, sessionId=f"{b.SESSION}-{reason}")
    both("an action and a type of other names", actionName="wait_for_it", actionType="carrier_pigeon")
    both("an absolute address", url="https://sp.example.com/api/v2/authenticate/WAVE/Q7OI0XZ?a=1&b=%20")
    both("without an address", url=...)
    both("a code of six characters", code="ABC123")
    for name in NAMES:
        both(f"missing: {name}", actionName="resume", missingParameters=[name])
    add_spellings(accept, refuse)
    add_partner(accept, refuse)
    add_members(suite, accept, refuse)


def add_spellings(accept, refuse):
    accept("missing parameters as `missing`", wire(missing=["domainName"]), read(missingParameters=["domainName"]),
           "Session Spelling")
    accept("missing parameters in both spellings", wire(missingParameters=["mvpd"], missing=["redirectUrl"]),
           read(missingParameters=["mvpd"]) | b.other(missing=["redirectUrl"]), "Session Spelling UnknownMember")
    accept("an empty list of missing parameters", wire(missingParameters=[]), read(), "Session Spelling")
    accept("without a reason, as older brokers answer", wire(reasonType=...), read(), "Session Spelling MissingMember")
    accept("nulls", wire(code=None, mvpd=None, url=None, reasonType=None, missingParameters=None, notBefore=None,
                         notAfter=None, authenticationRequest=None),
           read(code=..., mvpd=..., url=..., notBefore=..., notAfter=...), "Session MissingMember")
    accept("times as numbers", wire(notBefore=b.START, notAfter=b.END), read(), "Session Timestamp")
    accept("one time as a number", wire(notAfter=b.END), read(), "Session Timestamp")
    accept("times in seconds", wire(notBefore="1780000000", notAfter=1780001800),
           read(notBefore=1780000000, notAfter=1780001800), "Session Timestamp",
           [("bad_timestamp", "/notBefore"), ("bad_timestamp", "/notAfter")])
    for comment, value in {"words": "soon", "a fraction": "1.5", "empty": "", "a number with a fraction": 1.5,
                           "2^63": 2**63, "a plus sign": f"+{b.END}", "white space": f" {b.END}"}.items():
        refuse(f"notAfter: {comment}", wire(notAfter=value), "bad_timestamp", "/notAfter", "Session Timestamp")
    refuse("notAfter: true", wire(notAfter=True), "wrong_type", "/notAfter", "Session Timestamp")
    refuse("notBefore: an array", wire(notBefore=[b.START]), "wrong_type", "/notBefore", "Session Timestamp")


def add_partner(accept, refuse):
    def partner(**request):
        return wire(**PARTNER, authenticationRequest=b.changed(REQUEST, request))

    def expected(**request):
        return read(**PARTNER, authenticationRequest=b.changed(REQUEST | {"xml": XML}, request))

    accept("the device's partner is asked", partner(), expected())
    accept("a request of another type", partner(type="oidc"), expected(type="oidc"))
    accept("no attributes", partner(attributesNames=[]), expected(attributesNames=[]))
    accept("no list of attributes", partner(attributesNames=...), expected(attributesNames=[]), "Session MissingMember")
    accept("a request that is not Base64", partner(request="PD94*"), expected(request="PD94*", xml=...))
    accept("an unknown member of the request", partner(relayState="r"), expected(**b.other(relayState="r")),
           "Session UnknownMember")
    accept("an attribute's name that is a number", partner(attributesNames=["uid", 7, "household"]), expected(),
           "Session Neighbours", [("wrong_type", "/authenticationRequest/attributesNames/1")])
    for name in ("type", "request"):
        path = f"/authenticationRequest/{name}"
        refuse(f"the request without {name}", partner(**{name: ...}), "missing_member", path, "Session MissingMember")
        refuse(f"the request with an empty {name}", partner(**{name: ""}), "wrong_type", path)
        refuse(f"the request with a number as {name}", partner(**{name: 1}), "wrong_type", path)
    refuse("attributesNames: a text", partner(attributesNames="uid"), "wrong_type",
           "/authenticationRequest/attributesNames")
    refuse("the request: a text", wire(authenticationRequest="PD94"), "wrong_type", "/authenticationRequest")


def add_members(suite, accept, refuse):
    extra = {"partnerId": "Apple", "hint": {"retry": [1, 2]}, "note": None}
    accept("unknown members", wire(**extra), read() | b.other(**extra), "Session UnknownMember")
    accept("a missing parameter that is a number", wire(missingParameters=["mvpd", 7, None, "domain"]),
           read(missingParameters=["mvpd", "domain"]), "Session Neighbours",
           [("wrong_type", "/missingParameters/1"), ("wrong_type", "/missingParameters/2")])
    accept("a broken name and a time in seconds", wire(missingParameters=[7], notAfter=1780001800),
           read(notAfter=1780001800), "Session Neighbours",
           [("wrong_type", "/missingParameters/0"), ("bad_timestamp", "/notAfter")])
    for name in ("actionName", "actionType", "sessionId", "serviceProvider"):
        refuse(f"without {name}", wire(**{name: ...}), "missing_member", f"/{name}", "Session MissingMember")
        refuse(f"{name}: null", wire(**{name: None}), "missing_member", f"/{name}", "Session MissingMember")
    for name in ("actionName", "actionType", "sessionId", "serviceProvider", "code", "mvpd"):
        refuse(f"{name}: empty", wire(**{name: ""}), "wrong_type", f"/{name}")
    for name in b.without(WIRE, "notBefore", "notAfter"):
        refuse(f"{name}: a number", wire(**{name: 17}), "wrong_type", f"/{name}")
        refuse(f"{name}: an object", wire(**{name: {}}), "wrong_type", f"/{name}")
    refuse("missingParameters: a text", wire(missingParameters="mvpd"), "wrong_type", "/missingParameters")
    refuse("missing: an object", wire(missing={}), "wrong_type", "/missing")
    suite.refuse(KIND, "1001 missing parameters", "Size", wire(missingParameters=["mvpd"] * 1001), "too_many",
                 "/missingParameters")
    suite.refuse(KIND, "a code twice", "DuplicateMember", b.compact(WIRE)[:-1] + ',"code":"A"}', "duplicate_member")
