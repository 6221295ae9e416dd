"""Several records of one tuple: the newer wins."""

from .replay import case
from .seq_lifetimes import KINDS
from .steps import *


def add(suite):
    for kind, (record, ask) in KINDS.items():
        add_in_order(suite, kind, record, ask)
        add_out_of_order(suite, kind, record, ask)
        add_after_odd_ones(suite, kind, record, ask)
    add_beside_each_other(suite)


def add_in_order(suite, kind, record, ask):
    flags = "Newer"
    case(suite, f"{kind}: a longer one replaces a shorter", flags, record(T + HOUR), record(T + DAY),
         ask(valid(DAY, T + DAY)), clock(T + HOUR), ask(valid(23 * HOUR, T + DAY)))
    case(suite, f"{kind}: a shorter one replaces a longer", flags, record(T + DAY), record(T + HOUR),
         ask(valid(HOUR, T + HOUR)), clock(T + HOUR), ask(expired(0, T + HOUR)))
    case(suite, f"{kind}: an expired one replaces a valid", flags, record(T + DAY), record(T - HOUR),
         ask(expired(HOUR, T - HOUR)))
    case(suite, f"{kind}: a valid one replaces an expired", flags, record(T + HOUR), clock(T + 2 * HOUR),
         ask(expired(HOUR, T + HOUR)), record(T + DAY), ask(valid(22 * HOUR, T + DAY)), are_expired())
    case(suite, f"{kind}: one that is not yet valid replaces a valid", flags, record(T + HOUR, T),
         record(T + DAY, T + HOUR), ask(not_yet(HOUR, T + HOUR)))
    case(suite, f"{kind}: the later start replaces the earlier", flags, record(T + DAY, T - HOUR),
         record(T + HOUR, T - MINUTE), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: the same twice", flags, record(T + HOUR, T), record(T + HOUR, T), ask(valid(HOUR, T + HOUR)),
         next_expiry(T + HOUR), clock(T + HOUR), ask(expired(0, T + HOUR)),
         sweep(an_authn() if kind == "authentication" else an_authz()), are_expired())
    case(suite, f"{kind}: ten in a row, the last counts", flags, *[record(T + n * HOUR, T + n) for n in range(1, 11)],
         clock(T + MINUTE), ask(valid(10 * HOUR - MINUTE, T + 10 * HOUR)), next_expiry(T + 10 * HOUR))


def add_out_of_order(suite, kind, record, ask):
    flags = "Newer Reading"
    case(suite, f"{kind}: an earlier start arrives late, with a later expiry", flags, record(T + HOUR, T),
         record(T + DAY, T - MINUTE), ask(valid(HOUR, T + HOUR)), next_expiry(T + HOUR))
    case(suite, f"{kind}: an earlier start arrives late, with an earlier expiry", flags, record(T + HOUR, T),
         record(T + MINUTE, T - HOUR), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: an earlier start arrives late, 1 ms", flags + " Boundary", record(T + HOUR, T),
         record(T + DAY, T - 1), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: equal starts, the later record counts", flags + " Boundary", record(T + DAY, T),
         record(T + HOUR, T), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: a record without a start replaces one with", flags, record(T + DAY, T), record(T + HOUR),
         ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: a record with a start replaces one without", flags, record(T + DAY),
         record(T + HOUR, T - DAY), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: an earlier start does not revive what expired since", flags, record(T + HOUR, T),
         clock(T + HOUR), ask(expired(0, T + HOUR)), record(T + DAY, T - HOUR), ask(expired(0, T + HOUR)))
    case(suite, f"{kind}: three, the newest first", flags, record(T + 3 * HOUR, T - 1), record(T + 2 * HOUR, T - 2),
         record(T + HOUR, T - 3), ask(valid(3 * HOUR, T + 3 * HOUR)))


def add_after_odd_ones(suite, kind, record, ask):
    """An implausible start, or one of a period that is never valid, does not keep later records out."""
    flags = "Newer Reading"
    backwards, unit = {"reports": ["ends_before_it_begins"]}, {"reports": ["not_milliseconds"]}
    case(suite, f"{kind}: an earlier start after a period that ends before it begins", flags,
         record(T + HOUR, T + DAY, **backwards), ask(not_yet(DAY, T + DAY)), record(T + DAY, T - HOUR),
         ask(valid(DAY, T + DAY)))
    case(suite, f"{kind}: an earlier start after a period that ends as it begins", flags + " Boundary",
         record(T + HOUR, T + HOUR), ask(not_yet(HOUR, T + HOUR)), record(T + DAY, T - HOUR), ask(valid(DAY, T + DAY)))
    case(suite, f"{kind}: an earlier start after a period of 1 ms", flags + " Boundary",
         record(T + HOUR + 1, T + HOUR), record(T + DAY, T - HOUR), ask(not_yet(HOUR, T + HOUR)))
    case(suite, f"{kind}: an earlier start after one in microseconds", flags + " Unit",
         record(2000 * T, 1000 * T, **unit), ask(not_yet(999 * T, 1000 * T)), record(T + DAY, T - HOUR),
         ask(valid(DAY, T + DAY)))
    case(suite, f"{kind}: a start in seconds replaces a later one", flags + " Unit", record(T + DAY, T - HOUR),
         record(T + HOUR, (T - MINUTE) // 1000, **unit), ask(valid(HOUR, T + HOUR)))
    case(suite, f"{kind}: a period that ends before it begins replaces a good one", flags, record(T + DAY, T - HOUR),
         record(T - MINUTE, T + MINUTE, **backwards), ask(expired(MINUTE, T - MINUTE)))


def add_beside_each_other(suite):
    case(suite, "a new authorization replaces that of its resource only", "Newer", authn(T + DAY), authz(T + HOUR),
         authz(T + HOUR, X2), authz(T + 2 * HOUR), is_authz(valid(2 * HOUR, T + 2 * HOUR)),
         is_authz(valid(HOUR, T + HOUR), X2), is_authn(valid(DAY, T + DAY)))
    case(suite, "a new authentication leaves the authorizations", "Newer", authn(T + HOUR), authz(T + 2 * HOUR),
         authn(T + DAY), is_authn(valid(DAY, T + DAY)), is_authz(valid(2 * HOUR, T + 2 * HOUR)))
    case(suite, "a record after logout is a new one, whatever its start", "Newer Leaving", authn(T + HOUR, T), LOGOUT,
         authn(T + DAY, T - HOUR), is_authn(valid(DAY, T + DAY)))
    case(suite, "a record after a sweep is a new one", "Newer Expiries", authz(T, start=T - MINUTE),
         sweep(an_authz()), authz(T + HOUR, start=T - HOUR), is_authz(valid(HOUR, T + HOUR)))
    case(suite, "hundred resources, each its own", "Newer Key",
         *[authz(T + (n + 1) * MINUTE, f"channel-{n}") for n in range(100)], clock(T + 50 * MINUTE),
         is_authz(expired(0, T + 50 * MINUTE), "channel-49"), is_authz(valid(MINUTE, T + 51 * MINUTE), "channel-50"),
         next_expiry(T + 51 * MINUTE), sweep(*[an_authz(f"channel-{n}") for n in range(50)]),
         is_authz(UNKNOWN, "channel-49"), is_authz(valid(50 * MINUTE, T + 100 * MINUTE), "channel-99"))
