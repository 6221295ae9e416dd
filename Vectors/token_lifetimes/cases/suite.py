"""Collects the tests of one file, refuses equal ones, and makes the text of the file."""

import json

import vector_files

from .notes import NOTES


class Suite:
    def __init__(self, algorithm, header):
        self.algorithm = algorithm
        self.header = header
        self.tests = []
        self.disagreements = []

    def add(self, comment, flags, test, found):
        """One test. `found` is None if the reference agrees, otherwise its answer."""
        flags = flags.split()
        assert flags and set(flags) <= NOTES.keys(), (comment, flags)
        if found is not None:
            self.disagreements.append(f"{comment}: {found}")
        self.tests.append({"tcId": len(self.tests) + 1, "comment": comment, "flags": flags} | test)

    def assert_sound(self):
        assert not self.disagreements, "\n".join(self.disagreements)
        for what in (content_of, lambda test: test["comment"]):
            seen = {}
            for test in self.tests:
                twin = seen.setdefault(what(test), test)
                assert twin is test, f"the same twice: {twin['comment']} = {test['comment']}"

    def json_text(self):
        return vector_files.envelope(
            self.algorithm,
            tests=len(self.tests),
            header=self.header,
            notes=vector_files.notes_of((flag for test in self.tests for flag in test["flags"]), NOTES),
            groups=[{"type": self.algorithm, "source": vector_files.SOURCE, "tests": self.tests}],
        )


def content_of(test):
    return json.dumps({name: value for name, value in test.items() if name not in ("tcId", "comment", "flags")})
