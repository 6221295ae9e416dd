"""Bodies of responses, as text: their units, their odd instants, and what they must not store."""

import json

from .replay import case
from .steps import *

# Not a real media token, because a reader must ignore this member.
SERIALIZED = "PHNpZ25hdHVyZUluZm8+QUFBQTxzaWduYXR1cmVJbmZvPjxhdXRoVG9rZW4vPg=="


def add(suite):
    add_profiles(suite)
    add_decisions(suite)
    add_v1(suite)
    add_odd_instants(suite)
    add_units(suite)


def profile(start, end, issuer=M):
    attributes = {"userID": {"value": "4f1d7a52", "state": "plain"}}
    return {"notBefore": start, "notAfter": end, "issuer": issuer, "type": "regular", "attributes": attributes}


def profiles(*pairs, requestor=R, **more):
    return body("v2_profiles", json.dumps({"profiles": dict(pairs)}), requestor, **more)


def decision(start, end, x=X, r=R, m=M, authorized=True, **more):
    members = {"resource": x, "serviceProvider": r, "mvpd": m, "source": "mvpd", "authorized": authorized}
    return members | {"notBefore": start, "notAfter": end} | more


def decisions(*all_of_them, **more):
    return body("v2_decisions", json.dumps({"decisions": list(all_of_them)}), **more)


def v1_authn(expires, r=R, m=M, **more):
    members = {"requestor": r, "mvpd": m, "userId": "4f1d7a52", "expires": expires}
    return body("v1_authn", json.dumps(members), **more)


def v1_authz(expires, x=X, r=R, m=M, **more):
    members = {"mvpd": m, "resource": x, "requestor": r, "expires": expires, "proxyMvpd": "ProxyMVPD"}
    return body("v1_authz", json.dumps(members), **more)


def add_profiles(suite):
    case(suite, "v2 profiles: one", "Body", profiles((M, profile(T, T + HOUR))), is_authn(valid(HOUR, T + HOUR)),
         is_authz(UNKNOWN), clock(T + HOUR), is_authn(expired(0, T + HOUR)))
    case(suite, "v2 profiles: two MVPDs", "Body", profiles((M, profile(T, T + HOUR)), (M2, profile(T - DAY, T, M2))),
         is_authn(valid(HOUR, T + HOUR)), is_authn(expired(0, T), m=M2), is_authn(UNKNOWN, r=R2))
    case(suite, "v2 profiles: not yet valid", "Body", profiles((M, profile(T + HOUR, T + DAY))),
         is_authn(not_yet(HOUR, T + HOUR)))
    case(suite, "v2 profiles: none changes nothing", "Body Reading", authn(T + HOUR), profiles(),
         is_authn(valid(HOUR, T + HOUR)))
    case(suite, "v2 profiles: one MVPD leaves the other", "Body", authn(T + HOUR, m=M2),
         profiles((M, profile(T, T + DAY))), is_authn(valid(HOUR, T + HOUR), m=M2), is_authn(valid(DAY, T + DAY)))
    case(suite, "v2 profiles: issuer Apple, known by its MVPD", "Body Reading",
         profiles((M, profile(T, T + HOUR, "Apple"))), is_authn(valid(HOUR, T + HOUR)), is_authn(UNKNOWN, m="Apple"))
    case(suite, "v2 profiles: instants as text", "Body", profiles((M, profile(str(T), str(T + HOUR)))),
         is_authn(valid(HOUR, T + HOUR)))
    case(suite, "v2 profiles: a later body replaces the earlier", "Body Newer", profiles((M, profile(T, T + DAY))),
         profiles((M, profile(T + 1, T + HOUR))), clock(T + 1), is_authn(valid(HOUR - 1, T + HOUR)))
    case(suite, "v2 profiles: an MVPD outside the list", "Body Issuer", allow(M2),
         profiles((M, profile(T, T + HOUR)), (M2, profile(T, T + HOUR, M2))), is_authn(UNKNOWN),
         is_authn(valid(HOUR, T + HOUR), m=M2))


def add_decisions(suite):
    case(suite, "v2 decisions: one", "Body", decisions(decision(T, T + HOUR)), is_authz(valid(HOUR, T + HOUR)),
         is_authn(UNKNOWN))
    case(suite, "v2 decisions: several resources", "Body",
         decisions(decision(T, T + HOUR), decision(T, T + DAY, X2), decision(T, T + DAY, X + " ")),
         is_authz(valid(HOUR, T + HOUR)), is_authz(valid(DAY, T + DAY), X2), is_authz(valid(DAY, T + DAY), X + " "))
    token = {"notBefore": T, "notAfter": T + 7 * MINUTE, "serializedToken": SERIALIZED}
    case(suite, "v2 decisions: the decision's times count, not its media token's", "Body MediaToken",
         decisions(decision(T, T + HOUR, token=token)), is_authz(valid(HOUR, T + HOUR)), next_expiry(T + HOUR),
         clock(T + 10 * MINUTE), is_authz(valid(50 * MINUTE, T + HOUR)), are_expired())
    case(suite, "v2 decisions: a media token that outlives the decision", "Body MediaToken",
         decisions(decision(T, T + MINUTE, token=token)), clock(T + 5 * MINUTE),
         is_authz(expired(4 * MINUTE, T + MINUTE)))
    error = {"action": "none", "status": 403, "code": "authorization_denied_by_mvpd", "message": "Denied"}
    denied = {"resource": X, "serviceProvider": R, "mvpd": M, "source": "mvpd", "authorized": False, "error": error}
    case(suite, "v2 decisions: a refused resource is not authorized", "Body", decisions(denied), is_authz(UNKNOWN))
    case(suite, "v2 decisions: a refusal takes the place of an authorization", "Body Reading", authz(T + HOUR),
         authz(T + HOUR, X2), decisions(denied), is_authz(UNKNOWN), is_authz(valid(HOUR, T + HOUR), X2))
    case(suite, "v2 decisions: one granted, one refused", "Body",
         decisions(denied, decision(T, T + HOUR, X2)), is_authz(UNKNOWN), is_authz(valid(HOUR, T + HOUR), X2))
    case(suite, "v2 decisions: without times, as a preauthorization has it, nothing is recorded", "Body Reading",
         authz(T + HOUR), decisions({"resource": X, "serviceProvider": R, "mvpd": M, "authorized": True}),
         decisions({"resource": X2, "serviceProvider": R, "mvpd": M, "authorized": True}),
         is_authz(valid(HOUR, T + HOUR)), is_authz(UNKNOWN, X2), are_expired())
    case(suite, "v2 decisions: resources in NFC and NFD", "Body Key",
         decisions(decision(T, T + HOUR, "Caf\u00e9"), decision(T, T + DAY, "Cafe\u0301")),
         is_authz(valid(HOUR, T + HOUR), "Caf\u00e9"), is_authz(valid(DAY, T + DAY), "Cafe\u0301"))
    case(suite, "v2 decisions: an escaped resource is the same resource", "Body Key",
         body("v2_decisions", json.dumps({"decisions": [decision(T, T + HOUR)]}).replace("Test", "\\u0054est")),
         is_authz(valid(HOUR, T + HOUR)))


def add_v1(suite):
    case(suite, "v1 authn: text of digits", "Body", v1_authn(str(T + HOUR)), is_authn(valid(HOUR, T + HOUR)),
         is_authz(UNKNOWN))
    case(suite, "v1 authn: a number", "Body", v1_authn(T + HOUR), is_authn(valid(HOUR, T + HOUR)))
    case(suite, "v1 authz: text of digits", "Body", v1_authz(str(T + HOUR)), is_authz(valid(HOUR, T + HOUR)),
         is_authn(UNKNOWN))
    case(suite, "v1 authz: a number", "Body", v1_authz(T + HOUR), is_authz(valid(HOUR, T + HOUR)))
    case(suite, "v1 authz: known by its MVPD, not by the proxy", "Body Key", v1_authz(str(T + HOUR)),
         is_authz(UNKNOWN, m="ProxyMVPD"))


# Comment, the value as JSON text, and the reason for its refusal, unless that is "not a whole number within 64 bits".
UNREADABLE = [
    ("2 to the 63rd", "9223372036854775808"),
    ("2 to the 63rd as text", '"9223372036854775808"'),
    ("2 to the 64th and the right instant", str(2**64 + T + HOUR)),
    ("2 to the 64th and the right instant, as text", f'"{2**64 + T + HOUR}"'),
    ("below 64 bits", "-9223372036854775809"),
    ("a fraction", f"{T + HOUR}.5"),
    ("a fraction as text", f'"{T + HOUR}.5"'),
    ("a word", '"never"'),
    ("a date", '"2026-02-15T17:30:00Z"'),
    ("empty", '""'),
    ("digits that are not ASCII", '"\uff11\uff17\uff16\uff18"'),
    ("digits that are not ASCII behind one that is", '"1\uff17\uff16\uff18"'),
    ("a plus sign", f'"+{T + HOUR}"'),
    ("a space in front", f'" {T + HOUR}"'),
    ("hexadecimal", '"0x19BC0000000"'),
    ("a line end behind", f'"{T + HOUR}\\n"'),
    ("null", "null", "missing_member"),
    ("true", "true", "wrong_type"),
    ("an array", f"[{T + HOUR}]", "wrong_type"),
    ("a leading zero, as text", f'"0{T + HOUR}"'),
]


def add_odd_instants(suite):
    flags = "Body Unreadable Reading"
    for comment, raw, *error in UNREADABLE:
        text = json.dumps({"requestor": R, "mvpd": M, "resource": X, "expires": 0}).replace(": 0}", f": {raw}}}")
        case(suite, f"expires is {comment}: the body is refused", flags, authz(T + DAY),
             refused(body("v1_authz", text), *error or ["bad_timestamp"]), is_authz(valid(DAY, T + DAY)), are_expired())
    case(suite, "notAfter that cannot be read", flags,
         refused(profiles((M, profile(T, "soon"))), "bad_timestamp"), is_authn(UNKNOWN))
    case(suite, "notBefore that cannot be read", flags,
         refused(profiles((M, profile("soon", T + HOUR))), "bad_timestamp"), is_authn(UNKNOWN))
    case(suite, "one profile of two that cannot be read: neither is recorded", flags,
         refused(profiles((M, profile(T, T + HOUR)), (M2, profile(T, "soon"))), "bad_timestamp"), is_authn(UNKNOWN),
         is_authn(UNKNOWN, m=M2))
    case(suite, "one decision of two that cannot be read: neither is recorded", flags,
         refused(decisions(decision(T, T + HOUR), decision(T, 0.5, X2)), "bad_timestamp"), is_authz(UNKNOWN),
         is_authz(UNKNOWN, X2))
    case(suite, "notAfter of 0", "Body Boundary", profiles((M, profile(0, 0))), is_authn(expired(T, 0)))
    case(suite, "a negative notAfter", "Body Boundary", profiles((M, profile(-2000, -1000))),
         is_authn(expired(T + 1000, -1000)))
    case(suite, "a negative notAfter as text", "Body Boundary", profiles((M, profile("-2000", "-1000"))),
         is_authn(expired(T + 1000, -1000)))
    case(suite, "a negative notBefore", "Body Boundary", profiles((M, profile(-1, T + HOUR))),
         is_authn(valid(HOUR, T + HOUR)))
    case(suite, "the last instant", "Body Boundary", v1_authz(str(HIGHEST)), is_authz(valid(HIGHEST - T, HIGHEST)))
    case(suite, "the first instant", "Body Boundary", v1_authz(LOWEST), is_authz(expired(HIGHEST, LOWEST)))
    case(suite, "notAfter before notBefore", "Body Boundary", decisions(decision(T + DAY, T)), is_authz(expired(0, T)))
    case(suite, "notAfter equal to notBefore", "Body Boundary", decisions(decision(T + HOUR, T + HOUR)),
         is_authz(not_yet(HOUR, T + HOUR)), clock(T + HOUR), is_authz(expired(0, T + HOUR)))


def add_units(suite):
    end = (T + HOUR) // 1000
    reported = {"reports": ["not_milliseconds"]}
    case(suite, "v1 authn in seconds", "Body Unit", v1_authn(str(end), **reported), is_authn(expired(T - end, end)))
    case(suite, "v1 authz in seconds", "Body Unit", v1_authz(end, **reported), is_authz(expired(T - end, end)))
    case(suite, "v2 profiles in seconds", "Body Unit", profiles((M, profile(end - 3600, end)), **reported),
         is_authn(expired(T - end, end)))
    case(suite, "v2 decisions in seconds", "Body Unit", decisions(decision(end - 3600, end), **reported),
         is_authz(expired(T - end, end)))
    case(suite, "v2 decisions, one of two in seconds", "Body Unit",
         decisions(decision(T, T + HOUR), decision(T, end, X2), reports=["ends_before_it_begins", "not_milliseconds"]),
         is_authz(valid(HOUR, T + HOUR)),
         is_authz(expired(T - end, end), X2))
    case(suite, "v2 decisions in milliseconds are not reported", "Body Unit",
         decisions(decision(T, T + HOUR), reports=[]), is_authz(valid(HOUR, T + HOUR)))
