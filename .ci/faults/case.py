"""A fault that is tried: its name, what is expected, and what was seen."""

CASES = {}


class Skipped(Exception):
    """The machine cannot make this fault."""


class Case:
    """One fault, whose name is that of its function, and whose expectation is the first line of its documentation."""

    def __init__(self, body, is_short):
        self.name, self.body, self.is_short = body.__name__.replace("_", "-"), body, is_short
        self.expectation = body.__doc__.strip().splitlines()[0]
        assert self.name not in CASES, self.name
        CASES[self.name] = self


def fault(body):
    """A fault of both forms."""
    Case(body, is_short=True)
    return body


def long_fault(body):
    """A fault of the long form only."""
    Case(body, is_short=False)
    return body
