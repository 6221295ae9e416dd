"""What expires next, what is expired, sweeping, static metadata, snapshots."""

from .replay import case
from .seq_leaving import FULL, gone, there
from .steps import *


def add(suite):
    add_next(suite)
    add_expired(suite)
    add_static_metadata(suite)
    add_snapshots(suite)


def add_next(suite):
    flags = "Expiries"
    case(suite, "next expiry: the earliest of all", flags, *FULL, next_expiry(T + HOUR), clock(T + HOUR),
         next_expiry(T + 2 * HOUR), clock(T + 2 * HOUR), next_expiry(T + DAY), clock(T + DAY), next_expiry(None))
    case(suite, "next expiry: 1 ms before and at it", flags + " Boundary", authz(T + HOUR), clock(T + HOUR - 1),
         next_expiry(T + HOUR), clock(T + HOUR), next_expiry(None))
    case(suite, "next expiry: of what was recorded last", flags, authz(T + HOUR), authz(T + DAY), next_expiry(T + DAY),
         authz(T + MINUTE), next_expiry(T + MINUTE))
    case(suite, "next expiry: after removal", flags, authn(T + DAY), authz(T + HOUR), answered_authz(404),
         next_expiry(T + DAY), LOGOUT, next_expiry(None))
    case(suite, "next expiry: of what is not yet valid", flags + " Reading", authz(T + DAY, start=T + HOUR),
         next_expiry(T + DAY))
    case(suite, "next expiry: the margin does not move it", flags + " Margin", authz(T + HOUR), next_expiry(T + HOUR),
         refresh=5 * MINUTE)
    case(suite, "next expiry: expired entries do not count", flags, authn(T - HOUR), authz(T), next_expiry(None),
         authz(T + HOUR, X2), next_expiry(T + HOUR))
    case(suite, "next expiry: the last instant", flags + " Boundary", authz(HIGHEST), next_expiry(HIGHEST))
    case(suite, "next expiry: before 1970", flags + " Boundary", authz(-1), authn(0), next_expiry(-1), clock(-1),
         next_expiry(0), at=-HOUR)
    case(suite, "next expiry: after a step back", flags + " Clock", authz(T + HOUR), authz(T + 2 * DAY, X2),
         clock(T + DAY), clock(T, back=DAY), next_expiry(T + 2 * DAY))


def add_expired(suite):
    flags = "Expiries"
    case(suite, "expired: everything that is, nothing else", flags, *FULL, clock(T + HOUR),
         are_expired(an_authz(), an_authz(m=M2), an_authz(r=R2), an_authz(r=R2, m=M2)))
    case(suite, "expired: not what is not yet valid or expiring", flags + " Margin", authn(T + DAY, T + HOUR),
         authz(T + MINUTE), are_expired(), refresh=HOUR)
    case(suite, "expired: at its very instant", flags + " Boundary", authn(T), authz(T + 1), are_expired(an_authn()))
    case(suite, "sweep: removes it, tells it, leaves the rest", flags, *FULL, clock(T + 2 * HOUR),
         sweep(*[an_authz(x, r, m) for x in (X, X2) for r in (R, R2) for m in (M, M2)]), are_expired(),
         is_authz(UNKNOWN), is_authn(valid(22 * HOUR, T + DAY)), next_expiry(T + DAY), sweep())
    case(suite, "sweep: nothing to do", flags, sweep(), authz(T + HOUR), sweep(), is_authz(valid(HOUR, T + HOUR)))
    case(suite, "sweep: everything", flags, authn(T), authz(T), authz(T - DAY, X2),
         sweep(an_authn(), an_authz(), an_authz(X2)), are_expired(), next_expiry(None), is_authn(UNKNOWN))
    case(suite, "sweep: between two records", flags + " Newer", authz(T), sweep(an_authz()), authz(T + HOUR), sweep(),
         is_authz(valid(HOUR, T + HOUR)))
    case(suite, "sweep leaves selection and device ID", flags + " Reading", select(M), device_changed(PHONE), authn(T),
         sweep(an_authn()), is_selected(M), is_device(PHONE))


def add_static_metadata(suite):
    flags = "StaticMetadata"
    case(suite, "static metadata: each by its key", flags, *FULL, authn_expiry(T + DAY), authz_expiry(T + HOUR),
         authz_expiry(T + 2 * HOUR, X2), authz_expiry(None, "Nothing"), authn_expiry(None, m=M3),
         authn_expiry(None, r="REF32"), authz_expiry(T + HOUR, r=R2, m=M2))
    case(suite, "static metadata: after a new record", flags + " Newer", authn(T + HOUR), authn(T + DAY),
         authn_expiry(T + DAY))
    case(suite, "static metadata: after logout", flags + " Leaving", *FULL, LOGOUT, authn_expiry(None),
         authz_expiry(None))
    case(suite, "static metadata: after a 410", flags + " Server", *FULL, answered_authz(410), authz_expiry(None),
         authn_expiry(T + DAY))
    case(suite, "static metadata: of what has expired, until it is swept", flags + " Reading", authn(T),
         authz(T - HOUR), authn_expiry(T), authz_expiry(T - HOUR), sweep(an_authn(), an_authz()), authn_expiry(None),
         authz_expiry(None))
    case(suite, "static metadata: of what is not yet valid", flags, authn(T + DAY, T + HOUR), authn_expiry(T + DAY))
    case(suite, "static metadata: the device ID", flags + " Device", is_device(None), device_changed(PHONE),
         is_device(PHONE), device_changed(TABLET), is_device(TABLET))
    case(suite, "static metadata: instants at the ends", flags + " Boundary", authn(HIGHEST), authz(LOWEST),
         authn_expiry(HIGHEST), authz_expiry(LOWEST))
    case(suite, "static metadata: resources that look alike", flags + " Key", authz(T + HOUR, "Caf\u00e9"),
         authz_expiry(T + HOUR, "Caf\u00e9"), authz_expiry(None, "Cafe\u0301"), authz_expiry(None, "Caf\u00e9 "))


def add_snapshots(suite):
    flags = "Snapshot"
    case(suite, "snapshot: empty", flags, SNAPSHOT, is_authn(UNKNOWN), next_expiry(None), are_expired(),
         is_device(None), is_selected(None))
    case(suite, "snapshot: everything is there", flags, *FULL, select(M), device_changed(PHONE), SNAPSHOT,
         *there(R, M), *there(R, M2), *there(R2, M), *there(R2, M2), is_selected(M), is_device(PHONE),
         next_expiry(T + HOUR))
    case(suite, "snapshot: all statuses", flags, authn(T + DAY, T + HOUR), authz(T), authz(T + HOUR, X2),
         authz(T + MINUTE, "Soon"), SNAPSHOT, is_authn(not_yet(HOUR, T + HOUR)), is_authz(expired(0, T)),
         is_authz(valid(HOUR, T + HOUR), X2), is_authz(expiring(MINUTE, T + MINUTE), "Soon"), is_authz(UNKNOWN, "X"),
         refresh=5 * MINUTE)
    odd = ['a"b\\c', "\u0000", "\u2028", "Caf\u00e9", "Cafe\u0301", "\u212a", "\U0001f4fa", " ", "</x>", "\r\n"]
    case(suite, "snapshot: odd resources", flags + " Key",
         *[authz(T + (n + 1) * HOUR, x) for n, x in enumerate(odd)], SNAPSHOT,
         *[is_authz(valid((n + 1) * HOUR, T + (n + 1) * HOUR), x) for n, x in enumerate(odd)], is_authz(UNKNOWN, "K"))
    case(suite, "snapshot: odd requestors, MVPDs and devices", flags + " Key", device_changed('d"\u0000'),
         authn(T + HOUR, r="Caf\u00e9", m="\u212a"), authn(T + DAY, r="Cafe\u0301", m="K"), SNAPSHOT,
         is_authn(valid(HOUR, T + HOUR), r="Caf\u00e9", m="\u212a"),
         is_authn(valid(DAY, T + DAY), r="Cafe\u0301", m="K"), is_device('d"\u0000'))
    case(suite, "snapshot: the ends of 64 bits", flags + " Boundary", authn(HIGHEST, LOWEST), authz(LOWEST), SNAPSHOT,
         is_authn(valid(HIGHEST - T, HIGHEST)), is_authz(expired(HIGHEST, LOWEST)))
    case(suite, "snapshot: what had expired stays so when the clock steps back", flags + " Clock", authz(T + HOUR),
         authz(T + 2 * DAY, X2), clock(T + DAY), SNAPSHOT, clock(T, back=DAY), is_authz(expired_before(T + HOUR)),
         is_authz(valid(2 * DAY, T + 2 * DAY), X2))
    case(suite, "snapshot: after the clock stepped back", flags + " Clock", authz(T + HOUR), clock(T + DAY),
         clock(T, back=DAY), SNAPSHOT, is_authz(expired_before(T + HOUR)), clock(T + 1), clock(T - HOUR, back=HOUR + 1))
    case(suite, "snapshot: the latest instant seen, not the present one", flags + " Clock Reading",
         clock(T - 40 * SECOND), SNAPSHOT, clock(T - 80 * SECOND, back=80 * SECOND))
    case(suite, "snapshot: the binding to the device", flags + " Device", device_changed(PHONE),
         authn(T + DAY, device=PHONE), SNAPSHOT, device_changed(TABLET), is_authn(UNKNOWN))
    case(suite, "snapshot: the selection", flags + " Leaving", select(M), authz(T + HOUR), SNAPSHOT, select(M2),
         is_authz(UNKNOWN))
    case(suite, "snapshot: which record is newer", flags + " Newer Reading", authz(T + HOUR, start=T), SNAPSHOT,
         authz(T + DAY, start=T - HOUR), is_authz(valid(HOUR, T + HOUR)))
    case(suite, "snapshot: the list of issuers", flags + " Issuer Reading", allow(M2), SNAPSHOT, authn(T + HOUR),
         is_authn(UNKNOWN), authn(T + HOUR, m=M2), is_authn(valid(HOUR, T + HOUR), m=M2))
    case(suite, "snapshot: after logout", flags + " Leaving", *FULL, LOGOUT, SNAPSHOT, *gone(R, M), *gone(R2, M2))
    case(suite, "snapshot: ten in a row", flags, authn(T + DAY), *[SNAPSHOT] * 10, is_authn(valid(DAY, T + DAY)))
    case(suite, "snapshot: sweep afterwards", flags + " Expiries", authz(T), authn(T + DAY), SNAPSHOT,
         are_expired(an_authz()), sweep(an_authz()), SNAPSHOT, is_authz(UNKNOWN), is_authn(valid(DAY, T + DAY)))
