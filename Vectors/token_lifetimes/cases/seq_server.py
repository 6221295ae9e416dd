"""The server's answers and the list of allowed issuers: both outweigh the clock."""

from .replay import case
from .seq_leaving import FULL, gone, no_authz, there
from .steps import *


def add(suite):
    add_authorizations(suite)
    add_authentications(suite)
    add_other_statuses(suite)
    add_afterwards(suite)
    add_issuers(suite)


def add_authorizations(suite):
    for status in (404, 410, 403):
        flags = "Server Reading" if status == 403 else "Server"
        case(suite, f"{status} about an authorization: that one only", flags, *FULL, answered_authz(status),
             is_authz(UNKNOWN), is_authz(valid(2 * HOUR, T + 2 * HOUR), X2), is_authn(valid(DAY, T + DAY)),
             *there(R, M2), *there(R2, M), *there(R2, M2))
    case(suite, "412 about an authorization: the authentication is gone", "Server", *FULL, answered_authz(412),
         is_authn(UNKNOWN), is_authz(UNKNOWN), *there(R, M2), *there(R2, M), *there(R2, M2))
    case(suite, "412 about an authorization: the pair's other authorizations go too", "Server Reading", *FULL,
         answered_authz(412), *gone(R, M))
    case(suite, "412 about a resource that nothing is known of", "Server", *FULL, answered_authz(412, "Nothing"),
         is_authn(UNKNOWN), *there(R2, M))
    case(suite, "404 about a resource that nothing is known of", "Server", *FULL, answered_authz(404, "Nothing"),
         *there(R, M))


def add_authentications(suite):
    for status in (404, 410, 412, 403):
        flags = "Server Reading" if status == 403 else "Server"
        case(suite, f"{status} about an authentication: that pair's", flags, *FULL, answered_authn(status),
             is_authn(UNKNOWN), *there(R, M2), *there(R2, M), *there(R2, M2))
        case(suite, f"{status} about an authentication: the pair's authorizations go with it", "Server Reading", *FULL,
             answered_authn(status), *no_authz(R, M))
    case(suite, "404 about an authentication that nothing is known of", "Server", *FULL, answered_authn(404, m=M3),
         *there(R, M), *there(R2, M2))


def add_other_statuses(suite):
    for status in (200, 204, 304, 400, 401, 405, 429, 500, 502, 503, 504, 0, 411, 413, 402, 409):
        case(suite, f"{status} changes nothing", "Server", *FULL, answered_authn(status), answered_authz(status),
             *there(R, M), *there(R2, M2))
    case(suite, "200 does not revive what has expired", "Server", authn(T + HOUR), clock(T + HOUR),
         answered_authn(200), is_authn(expired(0, T + HOUR)))


def add_afterwards(suite):
    case(suite, "invalidated means neither ahead nor expired", "Server Expiries Reading", authz(T + HOUR),
         answered_authz(410), next_expiry(None), are_expired(), authz_expiry(None), sweep())
    case(suite, "a new record after a 410 counts", "Server Newer", authz(T + HOUR), answered_authz(410),
         is_authz(UNKNOWN), authz(T + DAY), is_authz(valid(DAY, T + DAY)))
    case(suite, "a new authentication after a 412, then a new authorization", "Server Newer", authn(T + HOUR),
         authz(T + HOUR), answered_authz(412), authn(T + DAY), is_authn(valid(DAY, T + DAY)), is_authz(UNKNOWN),
         authz(T + 2 * HOUR), is_authz(valid(2 * HOUR, T + 2 * HOUR)))
    case(suite, "a 404 about what has expired", "Server", authz(T), answered_authz(404), is_authz(UNKNOWN),
         are_expired())
    case(suite, "a 404 about what is not yet valid", "Server", authz(T + DAY, start=T + HOUR), answered_authz(404),
         is_authz(UNKNOWN), clock(T + HOUR), is_authz(UNKNOWN))
    case(suite, "a 404 leaves the selection", "Server Reading", select(M), authn(T + HOUR), answered_authn(404),
         is_selected(M))
    case(suite, "invalidated survives a clock that steps back", "Server Clock", authz(T + HOUR), answered_authz(410),
         clock(T - DAY, back=DAY), is_authz(UNKNOWN))
    case(suite, "invalidated survives a snapshot", "Server Snapshot", authz(T + HOUR), answered_authz(410), SNAPSHOT,
         is_authz(UNKNOWN))


def add_issuers(suite):
    flags = "Issuer"
    case(suite, "no list allows every issuer", flags, *FULL, *there(R, M), *there(R, M2))
    case(suite, "a list with the issuer changes nothing", flags, *FULL, allow(M2, M), *there(R, M), *there(R, M2))
    case(suite, "an issuer no longer in the list", flags, *FULL, allow(M, M2), *there(R, M2), allow(M), *there(R, M),
         *gone(R, M2), *there(R2, M2))
    case(suite, "an empty list allows nobody", flags, *FULL, allow(), *gone(R, M), *gone(R, M2), *there(R2, M))
    case(suite, "a list of other issuers", flags, *FULL, allow(M3), *gone(R, M), *gone(R, M2))
    case(suite, "the list of one requestor is not the other's", flags, *FULL, allow(M, r=R2), *there(R, M2),
         *gone(R2, M2))
    case(suite, "an issuer twice in the list", flags, *FULL, allow(M, M), *there(R, M), *gone(R, M2))
    case(suite, "what is not allowed is not expired either", flags + " Reading", authn(T), allow(M2), are_expired(),
         next_expiry(None))
    case(suite, "an issuer that returns to the list brings nothing back", flags + " Reading", *FULL, allow(M2),
         allow(M, M2), *gone(R, M))
    case(suite, "no list any more brings nothing back", flags + " Reading", *FULL, allow(M2), allow_all(), *gone(R, M))
    case(suite, "an issuer that returns can be recorded again", flags, authn(T + HOUR), allow(M2), allow(M, M2),
         authn(T + DAY), is_authn(valid(DAY, T + DAY)))
    case(suite, "a record of an issuer outside the list is never valid", flags, allow(M2), authn(T + HOUR),
         authz(T + HOUR), is_authn(UNKNOWN), is_authz(UNKNOWN), authn(T + HOUR, m=M2),
         is_authn(valid(HOUR, T + HOUR), m=M2))
    case(suite, "a list before the first record", flags, allow(M), authn(T + HOUR), is_authn(valid(HOUR, T + HOUR)))
    case(suite, "issuers are compared with their case", flags + " Key", authn(T + HOUR), allow(M.upper()),
         is_authn(UNKNOWN))
    case(suite, "issuers are compared whole", flags + " Key", authn(T + HOUR), allow("Test", M + " ", M[:-1], "*"),
         is_authn(UNKNOWN))
