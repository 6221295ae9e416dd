"""A clock that steps: nothing that had expired is revived, nothing is lost before its instant."""

from .replay import case
from .seq_lifetimes import KINDS
from .steps import *

STEPS = {"1 hour": HOUR, "1 day": DAY, "20 years": 7305 * DAY}


def add(suite):
    for kind, (record, ask) in KINDS.items():
        for name, distance in STEPS.items():
            add_step(suite, kind, record, ask, name, distance)
    add_reports(suite)
    add_small_steps(suite)
    add_after_a_step(suite)
    add_ends(suite)


def add_step(suite, kind, record, ask, name, step):
    flags = "Clock"
    late = T + 30 * step
    case(suite, f"{kind}: {name} back never revives", flags, record(T + MINUTE), clock(T + step),
         ask(expired(step - MINUTE, T + MINUTE)), clock(T, back=step), ask(expired_before(T + MINUTE)),
         clock(T + MINUTE), ask(expired(0, T + MINUTE)))
    case(suite, f"{kind}: {name} back, expired without having been asked about", flags, record(T + MINUTE),
         clock(T + step), clock(T, back=step), ask(expired_before(T + MINUTE)))
    case(suite, f"{kind}: {name} back, expired when it was recorded", flags, clock(T + step), record(T + MINUTE),
         clock(T, back=step), ask(expired_before(T + MINUTE)))
    case(suite, f"{kind}: {name} back, expired at its very instant", flags + " Boundary", record(T + step),
         clock(T + step), clock(T, back=step), ask(expired_before(T + step)))
    case(suite, f"{kind}: {name} back loses nothing that was valid", flags, record(late), clock(T - step, back=step),
         ask(valid(late - T + step, late)), clock(T), ask(valid(late - T, late)))
    case(suite, f"{kind}: {name} ahead and back loses nothing that is valid at both", flags, record(late),
         clock(T + step), ask(valid(late - T - step, late)), clock(T, back=step), ask(valid(late - T, late)),
         clock(late), ask(expired(0, late)))
    case(suite, f"{kind}: {name} back makes a lifetime start later", flags, record(late, T - MINUTE),
         ask(valid(late - T, late)), clock(T - step, back=step), ask(not_yet(step - MINUTE, T - MINUTE)), clock(T),
         ask(valid(late - T, late)))
    case(suite, f"{kind}: {name} back, then recorded anew", flags + " Newer", record(T + MINUTE), clock(T + step),
         clock(T, back=step), record(late), ask(valid(late - T, late)))


def add_reports(suite):
    flags = "Clock"
    case(suite, "a step back equal to the margin is not reported", flags + " Boundary", clock(T - MINUTE), clock(T))
    case(suite, "a step back 1 ms beyond the margin is reported", flags + " Boundary",
         clock(T - MINUTE - 1, back=MINUTE + 1))
    case(suite, "a step back within the margin is not reported", flags, clock(T - 1), clock(T - MINUTE + 1))
    case(suite, "a step ahead is not reported", flags, clock(T + 7305 * DAY))
    case(suite, "a clock that stands still is not reported", flags, clock(T), clock(T))
    case(suite, "no margin: 1 ms back is reported", flags + " Boundary", clock(T - 1, back=1), jump=0)
    case(suite, "reported once, not as long as it lasts", flags, clock(T - DAY, back=DAY), clock(T - DAY),
         clock(T - DAY + 1), clock(T - HOUR))
    case(suite, "each step back is reported", flags, clock(T - HOUR, back=HOUR), clock(T - 2 * HOUR, back=HOUR),
         clock(T - 2 * HOUR + 1), clock(T - 3 * HOUR + 1, back=HOUR))
    case(suite, "forth and back and forth and back", flags, clock(T + DAY), clock(T, back=DAY), clock(T + DAY),
         clock(T, back=DAY))
    case(suite, "a longer margin", flags, clock(T - HOUR), clock(T - HOUR - 1, back=HOUR + 1), jump=HOUR)


def add_small_steps(suite):
    flags = "Clock"
    case(suite, "within the margin nothing is revived either", flags, authz(T + HOUR), clock(T + HOUR),
         is_authz(expired(0, T + HOUR)), clock(T + HOUR - 1), is_authz(expired_before(T + HOUR)),
         clock(T + HOUR - MINUTE), is_authz(expired_before(T + HOUR)))
    case(suite, "within the margin, expired at the instant of its recording", flags + " Boundary", authz(T),
         clock(T - 1), is_authz(expired_before(T)), clock(T), is_authz(expired(0, T)))
    case(suite, "many small steps back are measured together", flags + " Reading", clock(T - 30 * SECOND),
         clock(T - MINUTE), clock(T - 90 * SECOND, back=90 * SECOND))
    case(suite, "small steps back that are made good again", flags, clock(T - 30 * SECOND), clock(T),
         clock(T - 40 * SECOND), clock(T + 1))


def add_after_a_step(suite):
    case(suite, "a record made after the step is measured by the present clock", "Clock Reading", clock(T + DAY),
         clock(T, back=DAY), authz(T + HOUR), is_authz(valid(HOUR, T + HOUR)), clock(T + HOUR),
         is_authz(expired(0, T + HOUR)))
    case(suite, "two days ahead, one back: recorded in between", "Clock Reading", authn(T + 3 * HOUR),
         clock(T + 2 * DAY), authz(T + DAY + HOUR), clock(T + DAY, back=DAY),
         is_authn(expired(21 * HOUR, T + 3 * HOUR)), is_authz(expired_before(T + DAY + HOUR)),
         authz(T + DAY + 2 * HOUR, X2), is_authz(valid(2 * HOUR, T + DAY + 2 * HOUR), X2))
    case(suite, "expired by a step ahead, among others that are not", "Clock Expiries", authn(T + 2 * DAY),
         authz(T + HOUR), authz(T + 3 * DAY, X2), clock(T + DAY), clock(T, back=DAY), are_expired(an_authz()),
         next_expiry(T + 2 * DAY), sweep(an_authz()), is_authz(UNKNOWN), is_authn(valid(2 * DAY, T + 2 * DAY)))
    case(suite, "swept before the step back stays unknown", "Clock Expiries", authz(T + HOUR), clock(T + HOUR),
         sweep(an_authz()), clock(T, back=HOUR), is_authz(UNKNOWN))
    case(suite, "within the refresh margin, then a step back", "Clock Margin Reading", authz(T + HOUR),
         clock(T + HOUR - MINUTE), is_authz(expiring(MINUTE, T + HOUR)), clock(T, back=59 * MINUTE),
         is_authz(valid(HOUR, T + HOUR)), refresh=5 * MINUTE)
    case(suite, "a step back before the start is not yet valid, not expired", "Clock", authz(T + DAY, start=T),
         clock(T - HOUR, back=HOUR), is_authz(not_yet(HOUR, T)), are_expired())


def add_ends(suite):
    case(suite, "from the last instant to the first", "Clock Boundary", authz(T + HOUR), clock(HIGHEST),
         is_authz(expired(HIGHEST - T - HOUR, T + HOUR)),
         {"event": "clock", "at": LOWEST, "reports": ["clock_jumped_back"]}, is_authz(expired_before(T + HOUR)))
    case(suite, "the largest margin reports nothing but more than itself", "Clock Boundary", clock(T - 7305 * DAY),
         clock(T), jump=HIGHEST)
    case(suite, "clock at the first instant, margin an hour", "Clock Boundary", authz(LOWEST + HOUR),
         clock(LOWEST + MINUTE), clock(LOWEST), is_authz(valid(HOUR, LOWEST + HOUR)), at=LOWEST, jump=HOUR)
