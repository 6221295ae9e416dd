"""Logout, cancelling, another MVPD, another device: what is removed and what stays."""

from .replay import case
from .steps import *

# Two requestors with two MVPDs each, an authentication and two authorizations everywhere.
FULL = [
    step
    for r in (R, R2)
    for m in (M, M2)
    for step in (authn(T + DAY, r=r, m=m), authz(T + HOUR, X, r=r, m=m), authz(T + 2 * HOUR, X2, r=r, m=m))
]


def there(r, m):
    """All three entries of a pair of FULL are as they were."""
    return [is_authn(valid(DAY, T + DAY), r, m), is_authz(valid(HOUR, T + HOUR), X, r, m),
            is_authz(valid(2 * HOUR, T + 2 * HOUR), X2, r, m)]


def gone(r, m):
    return [is_authn(UNKNOWN, r, m), is_authz(UNKNOWN, X, r, m), is_authz(UNKNOWN, X2, r, m)]


def no_authz(r, m):
    return gone(r, m)[1:]


def add(suite):
    add_logout(suite)
    add_cancel(suite)
    add_select(suite)
    add_device(suite)


def add_logout(suite):
    flags = "Leaving"
    case(suite, "logout of everything", flags, *FULL, LOGOUT, *gone(R, M), *gone(R, M2), *gone(R2, M), *gone(R2, M2),
         next_expiry(None), are_expired(), authn_expiry(None), authz_expiry(None))
    case(suite, "logout of everything, expired entries too", flags, authn(T), authz(T - HOUR), LOGOUT, are_expired(),
         is_authn(UNKNOWN), is_authz(UNKNOWN), sweep())
    case(suite, "logout of everything, entries that are not yet valid too", flags, authn(T + DAY, T + HOUR), LOGOUT,
         is_authn(UNKNOWN), clock(T + HOUR), is_authn(UNKNOWN), next_expiry(None))
    case(suite, "logout of an empty ledger", flags, LOGOUT, is_authn(UNKNOWN), logout_of(), is_authn(UNKNOWN))
    case(suite, "logout, then login", flags, *FULL, LOGOUT, authn(T + HOUR), is_authn(valid(HOUR, T + HOUR)),
         *no_authz(R, M), *gone(R2, M))
    case(suite, "logout of one MVPD, whatever the requestor", flags, *FULL, logout_of(M), *gone(R, M), *gone(R2, M),
         *there(R, M2), *there(R2, M2))
    case(suite, "logout of one MVPD after the other", flags, *FULL, logout_of(M), logout_of(M2), *gone(R, M),
         *gone(R2, M2), next_expiry(None))
    case(suite, "logout of an MVPD that nothing is known of", flags, *FULL, logout_of(M3), *there(R, M), *there(R2, M2))
    case(suite, "logout of one MVPD, expired entries too", flags, authn(T), authn(T, m=M2), logout_of(M),
         are_expired(an_authn(m=M2)))
    case(suite, "logout of an MVPD whose name is a requestor's", flags, authn(T + HOUR, r="A", m="B"), logout_of("A"),
         is_authn(valid(HOUR, T + HOUR), r="A", m="B"))
    case(suite, "logout of one MVPD twice", flags, *FULL, logout_of(M), logout_of(M), *gone(R, M), *there(R, M2))
    case(suite, "logout of everything forgets the selection", flags + " Reading", select(M), select(M2, r=R2), LOGOUT,
         is_selected(None), is_selected(None, r=R2))
    case(suite, "logout of one MVPD forgets the selections of it", flags + " Reading", select(M), select(M2, r=R2),
         logout_of(M), is_selected(None), is_selected(M2, r=R2))
    case(suite, "logout leaves the device ID", flags + " Device Reading", device_changed(PHONE), LOGOUT,
         is_device(PHONE))


def add_cancel(suite):
    flags = "Leaving"
    case(suite, "cancel erases the current pair", flags, select(M), *FULL, cancel(), *gone(R, M), *there(R, M2),
         *there(R2, M), *there(R2, M2))
    case(suite, "cancel after another choice erases the new pair", flags, select(M), select(M2), *FULL, cancel(),
         *there(R, M), *gone(R, M2))
    case(suite, "cancel without a selection erases nothing", flags, *FULL, cancel(), *there(R, M), *there(R, M2),
         *there(R2, M))
    case(suite, "cancel twice erases one pair", flags, select(M), *FULL, cancel(), cancel(), *gone(R, M),
         *there(R, M2))
    case(suite, "cancel of one requestor leaves the other's selection", flags, select(M), select(M, r=R2), *FULL,
         cancel(), *gone(R, M), *there(R2, M), is_selected(M, r=R2))
    case(suite, "cancel before anything was recorded for the pair", flags, select(M3), *FULL, cancel(), *there(R, M))
    case(suite, "cancel forgets the selection", flags + " Reading", select(M), cancel(), is_selected(None))
    case(suite, "cancel, then the same MVPD again", flags, select(M), authn(T + HOUR), cancel(), select(M),
         is_authn(UNKNOWN), authn(T + DAY), is_authn(valid(DAY, T + DAY)), is_selected(M))
    case(suite, "cancel, then another MVPD: a first choice again", flags + " Reading", select(M), *FULL, cancel(),
         select(M3), *there(R, M2))


def add_select(suite):
    flags = "Leaving"
    case(suite, "the selection is told", flags, select(M), is_selected(M), is_selected(None, r=R2), select(M2),
         is_selected(M2))
    case(suite, "another MVPD clears the requestor's authorizations", flags, select(M), *FULL, select(M2),
         *no_authz(R, M), *there(R2, M), *there(R2, M2), is_selected(M2))
    case(suite, "another MVPD clears the requestor's authentications", flags + " Reading", select(M), *FULL, select(M2),
         is_authn(UNKNOWN))
    case(suite, "another MVPD clears what was recorded for it before", flags + " Reading", select(M), *FULL, select(M2),
         *gone(R, M2))
    case(suite, "the same MVPD again clears nothing", flags, select(M), *FULL, select(M), *there(R, M), *there(R, M2),
         is_selected(M))
    case(suite, "a first choice clears nothing", flags + " Reading", *FULL, select(M), *there(R, M), *there(R, M2))
    case(suite, "back to the first MVPD: what was cleared stays cleared", flags, select(M), authz(T + HOUR), select(M2),
         select(M), is_authz(UNKNOWN))
    case(suite, "what is recorded after the choice stays", flags, select(M), select(M2), authn(T + DAY, m=M2),
         authz(T + HOUR, m=M2), is_authn(valid(DAY, T + DAY), m=M2), is_authz(valid(HOUR, T + HOUR), m=M2), select(M2),
         is_authz(valid(HOUR, T + HOUR), m=M2))
    case(suite, "another MVPD clears expired entries too", flags, select(M), authz(T), select(M2), are_expired(),
         sweep())
    case(suite, "the choice of one requestor is not the other's", flags, select(M), select(M2, r=R2), *FULL,
         select(M2), *there(R2, M), *there(R2, M2), is_selected(M2, r=R2))
    case(suite, "a record does not choose", flags + " Reading", authn(T + DAY), is_selected(None), authz(T + HOUR),
         select(M2), is_authz(valid(HOUR, T + HOUR)))


def add_device(suite):
    flags = "Device"
    case(suite, "a changed device clears what was bound to the old", flags, device_changed(PHONE),
         authn(T + DAY, device=PHONE), authz(T + HOUR, device=PHONE), authn(T + DAY, r=R2, m=M2, device=PHONE),
         is_authn(valid(DAY, T + DAY)), device_changed(TABLET), is_authn(UNKNOWN), is_authz(UNKNOWN),
         is_authn(UNKNOWN, r=R2, m=M2), is_device(TABLET), next_expiry(None))
    case(suite, "the same device again clears nothing", flags, device_changed(PHONE), authn(T + DAY, device=PHONE),
         device_changed(PHONE), is_authn(valid(DAY, T + DAY)), is_device(PHONE))
    case(suite, "a changed device clears what named no device too", flags + " Reading", device_changed(PHONE),
         authn(T + DAY), authz(T + HOUR), is_authn(valid(DAY, T + DAY)), device_changed(TABLET), is_authn(UNKNOWN),
         is_authz(UNKNOWN))
    case(suite, "the first device takes over what is there", flags + " Reading", authn(T + DAY), authz(T + HOUR),
         device_changed(PHONE), is_authn(valid(DAY, T + DAY)), is_authz(valid(HOUR, T + HOUR)), device_changed(TABLET),
         is_authn(UNKNOWN), is_authz(UNKNOWN))
    case(suite, "a record of another device changes nothing", flags + " Reading", device_changed(PHONE),
         authn(T + HOUR, device=PHONE), authn(T + DAY, device=TABLET), authz(T + DAY, device=TABLET),
         is_authn(valid(HOUR, T + HOUR)), is_authz(UNKNOWN), is_device(PHONE))
    case(suite, "back to the old device: what was cleared stays cleared", flags, device_changed(PHONE),
         authn(T + DAY, device=PHONE), device_changed(TABLET), device_changed(PHONE), is_authn(UNKNOWN))
    case(suite, "what is recorded for the new device stays", flags, device_changed(PHONE), authn(T + DAY, device=PHONE),
         device_changed(TABLET), authn(T + HOUR, device=TABLET), is_authn(valid(HOUR, T + HOUR)),
         device_changed(TABLET), is_authn(valid(HOUR, T + HOUR)))
    case(suite, "a changed device clears expired entries too", flags, device_changed(PHONE), authn(T, device=PHONE),
         device_changed(TABLET), are_expired())
    case(suite, "a changed device leaves the selection", flags + " Reading", select(M), device_changed(PHONE),
         authn(T + DAY, device=PHONE), device_changed(TABLET), is_selected(M))
    case(suite, "the first device ID comes with a record", flags + " Reading", authn(T + DAY, device=PHONE),
         is_device(PHONE), device_changed(TABLET), is_authn(UNKNOWN), is_device(TABLET))
    case(suite, "a record that names no device belongs to the one that another record named", flags + " Reading",
         authz(T + HOUR), authn(T + DAY, device=TABLET), is_authz(valid(HOUR, T + HOUR)), device_changed(PHONE),
         is_authz(UNKNOWN))
    case(suite, "two records of two devices: the first names the ledger's", flags + " Reading",
         authn(T + DAY, device=PHONE), authz(T + HOUR, device=TABLET), is_authz(UNKNOWN), is_device(PHONE))
    case(suite, "device IDs of one digit's difference", flags + " Key", device_changed(PHONE),
         authn(T + DAY, device=PHONE), device_changed(PHONE[:-1] + "d"), is_authn(UNKNOWN))
