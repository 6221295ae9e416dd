"""Plays a sequence to the reference model and compares each answer with the one that the sequence states."""

import functools

import reference_bodies
import reference_model
import reference_tokens
from reference_model import Ledger

from .signing import KEYS


def disagreement(test):
    """None if the model gives every stated answer; otherwise the first that differs."""
    ledger = Ledger(test["at"], test["refreshMargin"], test["clockMargin"])
    for number, step in enumerate(test["steps"]):
        if "ask" in step:
            stated, found = step["answer"], ANSWERS[step["ask"]](ledger, step)
            if isinstance(stated, list):
                stated, found = in_order(stated), in_order(found)
        else:
            stated = outcome_stated(step)
            ledger, outcome = play(ledger, step)
            found = {name: outcome.get(name) for name in stated}
        if stated != found:
            return f"step {number} {step.get('ask') or step['event']}\n stated {stated}\n  found {found}"
    return None


def in_order(entries):
    return sorted(entries, key=lambda entry: tuple(entry.values()))


def outcome_stated(step):
    """The effects of an event: an error or none, and the reports and swept entries if they are stated."""
    stated = {"error": step.get("expectedError")}
    stated |= {name: step[name] for name in ("reports", "by") if name in step}
    if "swept" in step:
        stated["swept"] = in_order(step["swept"])
    return stated


def play(ledger, step):
    outcome = {"error": None, "reports": []}
    name = step["event"]
    if name == "snapshot":
        return ledger.written_and_read_again(), outcome
    if name == "clock":
        distance = ledger.look_at_clock(step["at"])
        if distance is not None:
            outcome |= {"reports": ["clock_jumped_back"], "by": distance}
    elif name == "sweep":
        outcome["swept"] = in_order(ledger.sweep())
    else:
        try:
            outcome["reports"] = sorted(CHANGES[name](ledger, step) or [])
        except (reference_tokens.Refusal, reference_model.Refused) as refusal:
            outcome["error"] = refusal.code
    return ledger, outcome


def key_of(step):
    key = (step["requestor"], step["mvpd"])
    return key + (step["resource"],) if "resource" in step else key


def record(ledger, step):
    return ledger.record(key_of(step), step["notBefore"], step["expires"], step["device"])


def record_token(ledger, step):
    return ledger.record_token(reference_tokens.verify(step["token"].encode(), loaded(tuple(step["keys"]))))


@functools.cache
def loaded(files):
    return reference_tokens.media.load_keys(KEYS / file for file in files)


CHANGES = {
    "record_authentication": record,
    "record_authorization": record,
    "record_token": record_token,
    "record_body": lambda ledger, step: reference_bodies.record(ledger, step["kind"], step["body"], step["requestor"]),
    "logout": lambda ledger, step: (
        ledger.log_out_of_all() if step["scope"] == "all" else ledger.log_out_of_mvpd(step["mvpd"])
    ),
    "cancel": lambda ledger, step: ledger.cancel(step["requestor"]),
    "select_mvpd": lambda ledger, step: ledger.select_mvpd(step["requestor"], step["mvpd"]),
    "device_changed": lambda ledger, step: ledger.change_device(step["device"]),
    "server_answered": lambda ledger, step: ledger.server_answered(key_of(step), step["status"]),
    "allowed_issuers": lambda ledger, step: ledger.allow_issuers(step["requestor"], step["issuers"]),
}
ANSWERS = {
    "authentication": lambda ledger, step: ledger.status(key_of(step)),
    "authorization": lambda ledger, step: ledger.status(key_of(step)),
    "authentication_expiry": lambda ledger, step: ledger.expiry(key_of(step)),
    "authorization_expiry": lambda ledger, step: ledger.expiry(key_of(step)),
    "device": lambda ledger, _: ledger.device,
    "selected_mvpd": lambda ledger, step: ledger.selected.get(step["requestor"]),
    "next_expiry": lambda ledger, _: ledger.next_expiry(),
    "expired": lambda ledger, _: ledger.expired(),
}


def case(suite, comment, flags, *steps, refresh=0, jump=60_000, at=1_768_498_200_000):
    """One sequence."""
    test = {"at": at, "refreshMargin": refresh, "clockMargin": jump, "steps": list(steps)}
    suite.add(comment, flags, test, disagreement(test))
