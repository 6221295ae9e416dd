"""Values that many bodies share, and what must be made of them."""

import json

START, END = 1_780_000_000_000, 1_780_001_800_000
SESSION = "5f0c2a9e-3f51-4c1c-9c43-0e7a4f3d9b11"
CODE = "Q7OI0XZ"


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def other(**members):
    """Unknown members, each as its JSON text."""
    return {"other": {name: compact(value) for name, value in members.items()}}


def without(members, *names):
    return {name: value for name, value in members.items() if name not in names}


def changed(members, changes):
    """The members with changes; `...` removes a member."""
    return {name: value for name, value in (members | changes).items() if value is not ...}
