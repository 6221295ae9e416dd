"""One entry and the clock: every status, the instants at which it changes, and the ends of 64 bits."""

from .replay import case
from .steps import *



def authz_of_one_resource(expires, start=None, **more):
    return authz(expires, start=start, **more)


# How each kind of entry is recorded and asked about: every rule here holds for both.
KINDS = {"authentication": (authn, is_authn), "authorization": (authz_of_one_resource, is_authz)}


def add(suite):
    case(suite, "an empty ledger", "Normal", is_authn(UNKNOWN), is_authz(UNKNOWN), next_expiry(None), are_expired(),
         is_device(None), is_selected(None), authn_expiry(None), authz_expiry(None))
    for kind, (record, ask) in KINDS.items():
        add_course(suite, kind, record, ask)
        add_not_yet_valid(suite, kind, record, ask)
        add_margins(suite, kind, record, ask)
        add_odd_instants(suite, kind, record, ask)
        add_ends(suite, kind, record, ask)
    add_independence(suite)
    add_units(suite)


def add_course(suite, kind, record, ask):
    case(suite, f"{kind}: from valid to expired", "Normal", record(T + HOUR), ask(valid(HOUR, T + HOUR)),
         clock(T + MINUTE), ask(valid(59 * MINUTE, T + HOUR)), clock(T + 2 * HOUR), ask(expired(HOUR, T + HOUR)))
    case(suite, f"{kind}: 1 ms around the expiry", "Boundary", record(T + HOUR), clock(T + HOUR - 1),
         ask(valid(1, T + HOUR)), clock(T + HOUR), ask(expired(0, T + HOUR)), clock(T + HOUR + 1),
         ask(expired(1, T + HOUR)))
    case(suite, f"{kind}: valid for 1 ms", "Boundary", record(T + 1), ask(valid(1, T + 1)), clock(T + 1),
         ask(expired(0, T + 1)))
    case(suite, f"{kind}: expiry equal to now when it is recorded", "Boundary", record(T), ask(expired(0, T)))
    case(suite, f"{kind}: expired when it is recorded", "Normal", record(T - DAY), ask(expired(DAY, T - DAY)),
         clock(T + DAY), ask(expired(2 * DAY, T - DAY)))
    case(suite, f"{kind}: a year", "Normal", record(T + 365 * DAY), clock(T + 364 * DAY),
         ask(valid(DAY, T + 365 * DAY)), clock(T + 365 * DAY), ask(expired(0, T + 365 * DAY)))


def add_not_yet_valid(suite, kind, record, ask):
    end = T + 2 * HOUR
    case(suite, f"{kind}: from not yet valid to valid to expired", "Normal", record(end, T + HOUR),
         ask(not_yet(HOUR, T + HOUR)), clock(T + HOUR - 1), ask(not_yet(1, T + HOUR)), clock(T + HOUR),
         ask(valid(HOUR, end)), clock(end), ask(expired(0, end)))
    case(suite, f"{kind}: start equal to now", "Boundary", record(end, T), ask(valid(2 * HOUR, end)))
    case(suite, f"{kind}: start in the past", "Normal", record(end, T - DAY), ask(valid(2 * HOUR, end)))
    case(suite, f"{kind}: TTL 0 from now on", "Boundary", record(T, T), ask(expired(0, T)), clock(T + 1),
         ask(expired(1, T)))
    case(suite, f"{kind}: TTL 0 in the future is never valid", "Boundary", record(T + HOUR, T + HOUR),
         ask(not_yet(HOUR, T + HOUR)), clock(T + HOUR - 1), ask(not_yet(1, T + HOUR)), clock(T + HOUR),
         ask(expired(0, T + HOUR)))
    case(suite, f"{kind}: TTL 1 ms in the future", "Boundary", record(T + HOUR + 1, T + HOUR), clock(T + HOUR),
         ask(valid(1, T + HOUR + 1)), clock(T + HOUR + 1), ask(expired(0, T + HOUR + 1)))
    case(suite, f"{kind}: expires before it starts, both behind", "Boundary", record(T - HOUR, T - MINUTE),
         ask(expired(HOUR, T - HOUR)))
    case(suite, f"{kind}: expires before it starts, now between them", "Boundary", record(T - HOUR, T + HOUR),
         ask(expired(HOUR, T - HOUR)))
    case(suite, f"{kind}: expires before it starts, both ahead", "Boundary Reading", record(T + HOUR, T + 2 * HOUR),
         ask(not_yet(2 * HOUR, T + 2 * HOUR)), clock(T + HOUR), ask(expired(0, T + HOUR)), clock(T + 3 * HOUR),
         ask(expired(2 * HOUR, T + HOUR)))


def add_margins(suite, kind, record, ask):
    end = T + HOUR
    case(suite, f"{kind}: a refresh margin of 5 minutes", "Margin", record(end), ask(valid(HOUR, end)),
         clock(T + 54 * MINUTE), ask(valid(6 * MINUTE, end)), clock(end - 5 * MINUTE - 1),
         ask(valid(5 * MINUTE + 1, end)), clock(end - 5 * MINUTE + 1), ask(expiring(5 * MINUTE - 1, end)),
         clock(end - 1), ask(expiring(1, end)), clock(end), ask(expired(0, end)), refresh=5 * MINUTE)
    case(suite, f"{kind}: remaining time equal to the margin", "Margin Boundary Reading", record(end),
         clock(end - 5 * MINUTE), ask(expiring(5 * MINUTE, end)), refresh=5 * MINUTE)
    case(suite, f"{kind}: a margin of 1 ms", "Margin Boundary", record(end), clock(end - 2), ask(valid(2, end)),
         clock(end), ask(expired(0, end)), refresh=1)
    case(suite, f"{kind}: no margin, nothing is ever expiring", "Margin Boundary", record(end), clock(end - 1),
         ask(valid(1, end)))
    case(suite, f"{kind}: a margin longer than the whole lifetime", "Margin", record(end), ask(expiring(HOUR, end)),
         clock(end), ask(expired(0, end)), refresh=DAY)
    case(suite, f"{kind}: not yet valid counts for more than the margin", "Margin", record(T + 2 * MINUTE, T + MINUTE),
         ask(not_yet(MINUTE, T + MINUTE)), clock(T + MINUTE), ask(expiring(MINUTE, T + 2 * MINUTE)), refresh=HOUR)
    case(suite, f"{kind}: the largest margin", "Margin Boundary", record(end), ask(expiring(HOUR, end)),
         clock(end), ask(expired(0, end)), refresh=HIGHEST)


def add_odd_instants(suite, kind, record, ask):
    case(suite, f"{kind}: expires at 0", "Boundary", record(0), ask(expired(T, 0)))
    case(suite, f"{kind}: expires before 1970", "Boundary", record(-1), ask(expired(T + 1, -1)))
    case(suite, f"{kind}: clock before 1970, expires at 0", "Boundary", record(0), ask(valid(1, 0)), clock(0),
         ask(expired(0, 0)), at=-1)
    case(suite, f"{kind}: all before 1970", "Boundary", record(-HOUR, -2 * HOUR), ask(not_yet(HOUR, -2 * HOUR)),
         clock(-2 * HOUR), ask(valid(HOUR, -HOUR)), clock(-HOUR), ask(expired(0, -HOUR)), at=-3 * HOUR)
    case(suite, f"{kind}: starts before 1970", "Boundary", record(T + HOUR, -HOUR), ask(valid(HOUR, T + HOUR)))


def add_ends(suite, kind, record, ask):
    flags = "Boundary"
    case(suite, f"{kind}: expires at the last instant", flags, record(HIGHEST), ask(valid(HIGHEST - T, HIGHEST)))
    case(suite, f"{kind}: clock at the last instant", flags, record(HIGHEST), clock(HIGHEST), ask(expired(0, HIGHEST)))
    case(suite, f"{kind}: 1 ms before the last instant", flags, record(HIGHEST), clock(HIGHEST - 1),
         ask(valid(1, HIGHEST)))
    case(suite, f"{kind}: expires at the first instant", flags, record(LOWEST), ask(expired(HIGHEST, LOWEST)))
    case(suite, f"{kind}: clock at the first instant, expiry at the last", flags, record(HIGHEST),
         ask(valid(HIGHEST, HIGHEST)), at=LOWEST)
    case(suite, f"{kind}: clock at the first instant, expiry at 0", flags, record(0), ask(valid(HIGHEST, 0)), at=LOWEST)
    case(suite, f"{kind}: starts at the last instant", flags, record(HIGHEST, HIGHEST),
         ask(not_yet(HIGHEST - T, HIGHEST)))
    case(suite, f"{kind}: starts at the first instant", flags, record(T + 1, LOWEST), ask(valid(1, T + 1)))
    case(suite, f"{kind}: from the first to the last instant", flags, record(HIGHEST, LOWEST),
         ask(valid(HIGHEST - T, HIGHEST)))
    case(suite, f"{kind}: clock at the first instant, margin at its largest", flags + " Margin", record(LOWEST + HOUR),
         ask(expiring(HOUR, LOWEST + HOUR)), clock(LOWEST + HOUR), ask(expired(0, LOWEST + HOUR)), at=LOWEST,
         refresh=HIGHEST)


def add_independence(suite):
    case(suite, "an authentication is no authorization", "Normal", authn(T + HOUR), is_authn(valid(HOUR, T + HOUR)),
         is_authz(UNKNOWN))
    case(suite, "an authorization is no authentication", "Normal", authz(T + HOUR), is_authz(valid(HOUR, T + HOUR)),
         is_authn(UNKNOWN))
    case(suite, "each by its own expiry", "Normal", authn(T + DAY), authz(T + HOUR), clock(T + 2 * HOUR),
         is_authn(valid(22 * HOUR, T + DAY)), is_authz(expired(HOUR, T + HOUR)))
    case(suite, "an authorization outlives the authentication", "Normal Reading", authn(T + HOUR), authz(T + DAY),
         clock(T + 2 * HOUR), is_authn(expired(HOUR, T + HOUR)), is_authz(valid(22 * HOUR, T + DAY)))


def add_units(suite):
    seconds = (T + HOUR) // 1000
    for kind, (record, ask) in KINDS.items():
        case(suite, f"{kind}: expiry in seconds is taken as milliseconds, and reported", "Unit",
             record(seconds, reports=["not_milliseconds"]), ask(expired(T - seconds, seconds)))
        case(suite, f"{kind}: start in seconds is taken as milliseconds, and reported", "Unit",
             record(T + HOUR, seconds, reports=["not_milliseconds"]), ask(valid(HOUR, T + HOUR)))
        case(suite, f"{kind}: both in seconds", "Unit",
             record(seconds, seconds - 3600, reports=["not_milliseconds"]), ask(expired(T - seconds, seconds)))
        case(suite, f"{kind}: an expiry of 0 is reported", "Unit Reading", record(0, reports=["not_milliseconds"]),
             ask(expired(T, 0)))
        case(suite, f"{kind}: an expiry before the start is reported", "Boundary Reading",
             record(T - MINUTE, T + MINUTE, reports=["ends_before_it_begins"]), ask(expired(MINUTE, T - MINUTE)))
        case(suite, f"{kind}: milliseconds are not reported", "Unit", record(T + HOUR, T, reports=[]),
             ask(valid(HOUR, T + HOUR)))
        case(suite, f"{kind}: microseconds are not divided, and reported", "Unit Reading",
             record(1000 * (T + HOUR), reports=["not_milliseconds"]),
             ask(valid(999 * T + 1000 * HOUR, 1000 * (T + HOUR))))
    case(suite, "seconds that take the place of a good record", "Unit Newer", authz(T + HOUR),
         authz(seconds, reports=["not_milliseconds"]), is_authz(expired(T - seconds, seconds)))
