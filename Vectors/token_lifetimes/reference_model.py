"""A plain model of the ledger, for tests only. The rules are those of README.md.

It keeps everything in one dictionary, looks at all of it whenever the clock is read, and needs nothing but Python.
Reading a signed token takes a signature: the caller hands in the function that does it.
"""

import json
from dataclasses import asdict, dataclass

HIGHEST = 2**63 - 1
LOWEST = -(2**63)
# March 1973, and the end of the year 9999: numbers outside are not plausible as milliseconds.
SMALLEST_PLAUSIBLE, HIGHEST_PLAUSIBLE = 10**11, 253_402_300_799_999
INVALIDATING = {403, 404, 410, 412}


class Refused(Exception):
    """An event that changes nothing, by its code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


@dataclass
class Entry:
    not_before: int | None
    expires: int | None  # None: it could not be read
    is_over: bool = False


class Ledger:
    """Keys are (requestor, mvpd) for an authentication, (requestor, mvpd, resource) for an authorization.

    Python compares strings code point by code point, which is the same as byte by byte.
    """

    def __init__(self, at, refresh_margin=0, clock_margin=0):
        self.now = at
        self.latest = at
        self.refresh_margin = refresh_margin
        self.clock_margin = clock_margin
        self.entries = {}
        self.selected = {}
        self.allowed = {}
        self.device = None

    # --- Clock

    def look_at_clock(self, now):
        """How far the clock went back, if that is more than the margin."""
        self.now = now
        distance = self.latest - now
        stepped_back = distance > self.clock_margin
        self.latest = now if stepped_back else max(self.latest, now)
        self.mark_what_is_over()
        return distance if stepped_back else None

    def mark_what_is_over(self):
        """What has expired stays expired, even if the clock goes back later."""
        for entry in self.entries.values():
            if entry.expires is None or entry.expires <= self.now:
                entry.is_over = True

    # --- Records

    def record(self, key, not_before, expires, device=None):
        """The reports for a period."""
        refuse_empty(*key, device)
        if key[0] in self.allowed and key[1] not in self.allowed[key[0]]:
            return set()
        if self.device is not None and device not in (None, self.device):
            return set()
        old = self.entries.get(key)
        if old and None not in (begins := [begin_that_counts(not_before, expires),
                                           begin_that_counts(old.not_before, old.expires)]) and begins[0] < begins[1]:
            return set()
        self.entries[key] = Entry(not_before, expires)
        self.device = self.device or device
        self.mark_what_is_over()
        return faults(not_before, expires)

    def record_token(self, fields):
        """The verified fields of a token, as in signed_tokens.json."""
        key = (fields["requestor"], fields["mvpd"])
        if fields["kind"] == "authorization":
            key += (fields["resource"],)
        return self.record(key, None, fields["expires"], fields["device"])

    # --- Removal

    def remove(self, is_gone):
        self.entries = {key: entry for key, entry in self.entries.items() if not is_gone(key, entry)}

    def log_out_of_all(self):
        self.entries, self.selected = {}, {}

    def log_out_of_mvpd(self, mvpd):
        self.remove(lambda key, _: key[1] == mvpd)
        self.selected = {requestor: chosen for requestor, chosen in self.selected.items() if chosen != mvpd}

    def cancel(self, requestor):
        chosen = self.selected.pop(requestor, None)
        self.remove(lambda key, _: key[:2] == (requestor, chosen))

    def select_mvpd(self, requestor, mvpd):
        refuse_empty(requestor, mvpd)
        if self.selected.get(requestor, mvpd) != mvpd:
            self.remove(lambda key, _: key[0] == requestor)
        self.selected[requestor] = mvpd

    def change_device(self, device):
        refuse_empty(device)
        if self.device not in (None, device):
            self.entries = {}
        self.device = device

    def server_answered(self, key, status):
        if status not in INVALIDATING:
            return
        if len(key) == 3 and status != 412:
            self.remove(lambda other, _: other == key)
        else:
            self.remove(lambda other, _: other[:2] == key[:2])

    def allow_issuers(self, requestor, issuers):
        if issuers is None:
            self.allowed.pop(requestor, None)
            return
        self.allowed[requestor] = issuers
        self.remove(lambda key, _: key[0] == requestor and key[1] not in issuers)

    def sweep(self):
        swept = self.expired()
        self.remove(lambda _, entry: entry.is_over)
        return swept

    # --- Questions

    def status(self, key):
        entry = self.entries.get(key)
        if entry is None:
            return {"status": "unknown"}
        if entry.is_over:
            return status_of_expired(entry.expires, self.now)
        if entry.not_before is not None and self.now < entry.not_before:
            return status_of("not_yet_valid", entry.not_before - self.now, entry.not_before)
        remaining = entry.expires - self.now
        return status_of("expiring" if remaining <= self.refresh_margin else "valid", remaining, entry.expires)

    def expiry(self, key):
        entry = self.entries.get(key)
        return entry.expires if entry else None

    def next_expiry(self):
        return min((entry.expires for entry in self.entries.values() if not entry.is_over), default=None)

    def expired(self):
        return [named(key) for key, entry in self.entries.items() if entry.is_over]

    # --- Snapshot

    def written_and_read_again(self):
        """A new ledger, read from the text that this one writes."""
        written = json.dumps(
            {
                "entries": [[list(key), asdict(entry)] for key, entry in self.entries.items()],
                "latest": self.latest,
                "selected": self.selected,
                "allowed": self.allowed,
                "device": self.device,
            }
        )
        read = json.loads(written)
        new = Ledger(self.now, self.refresh_margin, self.clock_margin)
        new.entries = {tuple(key): Entry(**entry) for key, entry in read["entries"]}
        new.latest, new.selected, new.allowed, new.device = (
            read[name] for name in ("latest", "selected", "allowed", "device")
        )
        return new


def status_of(name, distance, instant):
    return {"status": name, "ms": max(LOWEST, min(HIGHEST, distance)), "instant": instant}


def status_of_expired(expires, now):
    if expires is None:
        return {"status": "expired"}
    if now < expires:
        return {"status": "expired", "instant": expires}
    return status_of("expired", now - expires, expires)


def refuse_empty(*identifiers):
    if "" in identifiers:
        raise Refused("empty_identifier")


def begin_that_counts(not_before, expires):
    """None if there is none, if it is implausible, or if the period is never valid."""
    if not_before is None or not SMALLEST_PLAUSIBLE <= not_before <= HIGHEST_PLAUSIBLE:
        return None
    return None if expires is not None and expires <= not_before else not_before


def faults(not_before, expires):
    """Whether an instant is implausible as milliseconds."""
    found = set()
    if expires is None:
        found.add("unreadable_date")
    elif not_before is not None and expires < not_before:
        found.add("ends_before_it_begins")
    if any(at is not None and not SMALLEST_PLAUSIBLE <= at <= HIGHEST_PLAUSIBLE for at in (not_before, expires)):
        found.add("not_milliseconds")
    return found


def named(key):
    names = ("kind", "requestor", "mvpd", "resource")
    return dict(zip(names, (("authorization" if len(key) == 3 else "authentication"), *key)))
