"""The bodies of responses that feed the model of the ledger. For tests only: it checks nothing but instants."""

import json
import re

from reference_model import HIGHEST, LOWEST, Refused


def record(ledger, kind, text, requestor):
    """The reports for a body. A body with an invalid instant is refused as a whole."""
    changes = READERS[kind](json.loads(text), requestor)
    return set().union(*(change(ledger) for change in changes))


def recording(key, not_before, expires):
    return lambda ledger: ledger.record(key, not_before, expires)


def removal(key):
    def remove(ledger):
        ledger.remove(lambda other, _: other == key)
        return set()

    return remove


def instant(members, name):
    """A whole number within 64 bits, as a JSON number or as the text of one."""
    value = members.get(name)
    if value is None:
        raise Refused("missing_member")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Refused("wrong_type")
    if isinstance(value, str):
        value = int(value) if re.fullmatch("-?(0|[1-9][0-9]{0,30})", value) else None
    if not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise Refused("bad_timestamp")
    return value


def optional_instant(members, name):
    return None if members.get(name) is None else instant(members, name)


def read_v2_profiles(body, requestor):
    return [
        recording((requestor, mvpd), instant(profile, "notBefore"), instant(profile, "notAfter"))
        for mvpd, profile in body["profiles"].items()
    ]


def read_v2_decisions(body, _):
    changes = []
    for decision in body["decisions"]:
        key = (decision["serviceProvider"], decision["mvpd"], decision["resource"])
        not_before, expires = optional_instant(decision, "notBefore"), optional_instant(decision, "notAfter")
        if not decision["authorized"]:
            changes.append(removal(key))
        elif expires is not None:
            changes.append(recording(key, not_before, expires))
    return changes


def read_v1(body, _):
    key = (body["requestor"], body["mvpd"]) + ((body["resource"],) if "resource" in body else ())
    return [recording(key, None, instant(body, "expires"))]


READERS = {
    "v2_profiles": read_v2_profiles,
    "v2_decisions": read_v2_decisions,
    "v1_authn": read_v1,
    "v1_authz": read_v1,
}
