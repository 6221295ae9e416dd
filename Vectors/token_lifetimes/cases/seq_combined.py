"""Several rules at once: every way to lose an authorization, in every state, and what follows."""

from .replay import case
from .seq_leaving import FULL, gone, there
from .steps import *

# Each starts with the authorization of R, M, X, with M selected and the device PHONE, and removes the authorization.
ENDINGS = {
    "logout": LOGOUT,
    "logout of the MVPD": logout_of(M),
    "cancel": cancel(),
    "another MVPD": select(M2),
    "another device": device_changed(TABLET),
    "a 404": answered_authz(404),
    "a 410": answered_authz(410),
    "a 412": answered_authz(412),
    "a 404 about the authentication": answered_authn(404),
    "a list without its issuer": allow(M2),
}
PROLOGUE = [device_changed(PHONE), select(M)]
# The steps that lead to each state at T + HOUR, and the answer then.
STATES = {
    "valid": ([authz(T + DAY), clock(T + HOUR)], valid(23 * HOUR, T + DAY)),
    "expiring": ([authz(T + HOUR + MINUTE), clock(T + HOUR)], expiring(MINUTE, T + HOUR + MINUTE)),
    "expired": ([authz(T + MINUTE), clock(T + HOUR)], expired(59 * MINUTE, T + MINUTE)),
    "not yet valid": ([authz(T + DAY, start=T + 2 * HOUR), clock(T + HOUR)], not_yet(HOUR, T + 2 * HOUR)),
    "expired by a clock since set back": (
        [authz(T + 2 * HOUR), clock(T + DAY), clock(T + HOUR, back=23 * HOUR)], expired_before(T + 2 * HOUR)
    ),
}


def add(suite):
    for ending, step in ENDINGS.items():
        room = " Reading" if ending == "a 404 about the authentication" else ""
        for state, (steps, answer) in STATES.items():
            case(suite, f"{ending} while {state}", "Combination" + room, *PROLOGUE, *steps, is_authz(answer), step,
                 is_authz(UNKNOWN), are_expired(), next_expiry(None), authz_expiry(None), refresh=5 * MINUTE)
        add_afterwards(suite, ending, step, "Combination" + room)
    add_stories(suite)


def add_afterwards(suite, ending, step, flags):
    start = [*PROLOGUE, authz(T + DAY, start=T), step]
    case(suite, f"{ending}, then a snapshot", flags, *start, SNAPSHOT, is_authz(UNKNOWN), next_expiry(None))
    case(suite, f"{ending}, then an hour back", flags, *start, clock(T - HOUR, back=HOUR), is_authz(UNKNOWN))
    case(suite, f"{ending}, then past the expiry", flags, *start, clock(T + DAY), is_authz(UNKNOWN), sweep())
    case(suite, f"{ending}, then a new record of the same", flags, *start, allow_all(), authz(T + HOUR, start=T),
         is_authz(valid(HOUR, T + HOUR)), next_expiry(T + HOUR))
    case(suite, f"{ending}, then the same once more", flags, *start, step, is_authz(UNKNOWN), are_expired())


def add_stories(suite):
    flags = "Combination"
    case(suite, "a day of one viewer", flags, device_changed(PHONE), select(M), authn(T + 30 * DAY, device=PHONE),
         authz(T + 6 * HOUR, device=PHONE), is_authz(valid(6 * HOUR, T + 6 * HOUR)), clock(T + 6 * HOUR - 4 * MINUTE),
         is_authz(expiring(4 * MINUTE, T + 6 * HOUR)), authz(T + 12 * HOUR, device=PHONE),
         is_authz(valid(6 * HOUR + 4 * MINUTE, T + 12 * HOUR)), clock(T + 13 * HOUR),
         is_authz(expired(HOUR, T + 12 * HOUR)), is_authn(valid(30 * DAY - 13 * HOUR, T + 30 * DAY)),
         sweep(an_authz()), cancel(), is_authn(UNKNOWN), is_selected(None), is_device(PHONE), refresh=5 * MINUTE)
    case(suite, "a new device, restored from the old one's snapshot", flags, device_changed(PHONE), select(M),
         authn(T + DAY, device=PHONE), authz(T + HOUR, device=PHONE), SNAPSHOT, device_changed(TABLET),
         is_authn(UNKNOWN), is_authz(UNKNOWN), is_selected(M), authn(T + DAY, device=TABLET),
         is_authn(valid(DAY, T + DAY)))
    case(suite, "412 while the clock says valid, then a step back", flags, authn(T + DAY), authz(T + HOUR),
         answered_authz(412), clock(T - DAY, back=DAY), is_authn(UNKNOWN), is_authz(UNKNOWN), authn(T + DAY),
         is_authn(valid(2 * DAY, T + DAY)))
    case(suite, "another MVPD, and its list", flags, allow(M, M2), select(M), authn(T + DAY), authz(T + HOUR),
         select(M2), is_authz(UNKNOWN), authn(T + DAY, m=M2), authz(T + HOUR, m=M2), allow(M),
         is_authn(UNKNOWN, m=M2), is_authz(UNKNOWN, m=M2), is_selected(M2))
    case(suite, "expired, stepped back, logged out of another MVPD, swept", flags, authz(T + HOUR),
         authz(T + HOUR, m=M2), clock(T + DAY), clock(T, back=DAY), logout_of(M2), are_expired(an_authz()),
         sweep(an_authz()), are_expired(), is_authz(UNKNOWN))
    case(suite, "cancel, changed device and 404 meet an empty pair", flags, select(M), cancel(), device_changed(PHONE),
         answered_authn(404), answered_authz(412), logout_of(), allow(), sweep(), next_expiry(None))
    case(suite, "seconds, then a step back to when they were due", flags + " Unit",
         authz((T + HOUR) // 1000, reports=["not_milliseconds"]), clock(0, back=T),
         is_authz(expired_before((T + HOUR) // 1000)))
    case(suite, "look-alikes under logout, sweep and snapshot", flags + " Key", authz(T, "Caf\u00e9", m="K"),
         authz(T + HOUR, "Cafe\u0301", m="K"), authz(T + HOUR, "Caf\u00e9", m="\u212a"), SNAPSHOT,
         sweep(an_authz("Caf\u00e9", m="K")), logout_of("\u212a"), is_authz(UNKNOWN, "Caf\u00e9", m="\u212a"),
         is_authz(valid(HOUR, T + HOUR), "Cafe\u0301", m="K"))
    case(suite, "a late answer after a changed MVPD is recorded beside it", flags + " Reading", select(M),
         authn(T + DAY), select(M2), authn(T + DAY, m=M2), authz(T + HOUR), is_authz(valid(HOUR, T + HOUR)),
         is_authz(UNKNOWN, m=M2), select(M), is_authz(UNKNOWN))
    case(suite, "two requestors, one logs out of all by its MVPD", flags, select(M), select(M2, r=R2), *FULL,
         logout_of(M), *gone(R, M), *gone(R2, M), *there(R2, M2), cancel(R2), *gone(R2, M2), *there(R, M2))
