"""Collects cases, compares them with the reference reader, and makes the text of the file."""

import json
import pathlib
import sys

import vector_files

from .notes import HEADER, NOTES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import reference_reader

KINDS = [
    "configuration", "session", "session-status", "logout", "credentials", "access-token", "registration-error",
    "registration-request", "error", "profiles", "decisions",
]
# Marks the byte at which a body stops being JSON.
MARK = "§"


class Suite:
    def __init__(self):
        self.groups = {kind: [] for kind in KINDS}

    def accept(self, kind, comment, flags, body, expected, faults=()):
        """`faults` are pairs of a code and a JSON Pointer (RFC 6901)."""
        outcome = {"result": "valid", "expected": expected}
        if faults:
            outcome["faults"] = [{"code": code, "path": path} for code, path in faults]
        self.add(kind, comment, flags, body, outcome)

    def refuse(self, kind, comment, flags, body, code, path=""):
        """`path` is a JSON Pointer to the wrong value, or to the place of a missing one."""
        self.add(kind, comment, flags, body, {"result": "invalid", "expectedError": {"code": code, "path": path}})

    def refuse_syntax(self, kind, comment, flags, marked):
        """`marked` is a text that is JSON up to the mark."""
        assert marked.count(MARK) == 1, comment
        at = len(marked[: marked.index(MARK)].encode())
        error = {"code": "not_json", "path": "", "at": at}
        self.add(kind, comment, flags, marked.replace(MARK, ""), {"result": "invalid", "expectedError": error})

    def add(self, kind, comment, flags, body, outcome):
        flags = flags.split()
        assert set(flags) <= NOTES.keys(), (comment, flags)
        if not isinstance(body, (str, bytes)):
            body = compact(body)
        data = body if isinstance(body, bytes) else body.encode()
        self.groups[kind].append({"comment": comment, "flags": flags, **body_member(data), **outcome})

    def check(self):
        faults = []
        seen = {}
        for kind, tests in self.groups.items():
            for test in tests:
                question = (kind, test.get("body"), test.get("bodyHex"))
                if question in seen:
                    faults.append(f"the same question twice: {seen[question]} = {test['comment']}")
                seen[question] = test["comment"]
                if disagreement := disagreement_about(kind, test):
                    faults.append(f"{kind}, {test['comment']}: {disagreement}")
        assert not faults, "\n".join(faults)

    @property
    def count(self):
        return sum(map(len, self.groups.values()))

    def json_text(self):
        numbers = iter(range(1, self.count + 1))
        groups = [
            {
                "type": "BrokerMessageDecode",
                "source": vector_files.SOURCE,
                "kind": kind,
                "tests": [{"tcId": next(numbers), **test} for test in tests],
            }
            for kind, tests in self.groups.items()
        ]
        flags = (flag for tests in self.groups.values() for test in tests for flag in test["flags"])
        return vector_files.envelope(
            "BrokerMessage",
            tests=self.count,
            header=HEADER,
            notes=vector_files.notes_of(flags, NOTES),
            groups=groups,
        )


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def body_member(data):
    """The body as text, or as hexadecimal digits if it is not UTF-8."""
    try:
        return {"body": data.decode()}
    except UnicodeDecodeError:
        return {"bodyHex": data.hex()}


def disagreement_about(kind, test):
    """What the reference reader finds, if that is not what the case states."""
    data = test["body"].encode() if "body" in test else bytes.fromhex(test["bodyHex"])
    stated = {name: test[name] for name in ("expected", "faults", "expectedError") if name in test}
    if "expectedError" in stated:
        # Where a text stops being JSON is stated by the mark alone: Python counts in another way.
        stated["expectedError"] = {name: stated["expectedError"][name] for name in ("code", "path")}
    try:
        content, faults = reference_reader.read(kind, data)
        found = {"expected": content}
        if faults:
            found["faults"] = [{"code": fault.code, "path": fault.path} for fault in faults]
    except reference_reader.Refusal as refusal:
        found = {"expectedError": {"code": refusal.code, "path": refusal.path}}
    return None if found == stated else f"stated {compact(stated)}, found {compact(found)}"
