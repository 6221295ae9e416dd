#!/usr/bin/env python3
"""Writes the test vectors for the bookkeeping of lifetimes. See README.md.

    python3 make_vectors.py            write the files
    python3 make_vectors.py --check    write nothing; exit 1 if a file is not what the script makes

Each answer is stated by hand beside its step; the reference model has to agree with every one of them before anything
is written. No clock, no randomness: the same keys give the same bytes.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import dates, seq_bodies, seq_clock, seq_combined, seq_keys, seq_leaving, seq_lifetimes, seq_lists
from cases import seq_records, seq_server, seq_tokens, signed_text, signed_tokens
from cases.suite import Suite

SEQUENCES = [
    seq_lifetimes, seq_records, seq_keys, seq_leaving, seq_server, seq_clock, seq_bodies, seq_tokens, seq_lists,
    seq_combined,
]
FILES = {
    "sequences.json": (
        "EntitlementLedger",
        [
            "Sequences of events and questions with their answers. Instants are milliseconds since 1970.",
            "All keys, requestors, providers and devices are invented.",
        ],
        SEQUENCES,
    ),
    "dates.json": (
        "EntitlementDate",
        ["Texts of dates, and the instant that each is, in milliseconds since 1970; null for what is no such date."],
        [dates],
    ),
    "signed_tokens.json": (
        "EntitlementToken",
        ["Signed AuthN and AuthZ tokens. All keys, requestors, providers and devices are invented."],
        [signed_tokens, signed_text],
    ),
}


def suite_of(algorithm, header, themes):
    suite = Suite(algorithm, header)
    for theme in themes:
        theme.add(suite)
    suite.assert_sound()
    return suite


def build():
    suites = {name: suite_of(*parts) for name, parts in FILES.items()}
    return [vector_files.VectorFile(name, suite.json_text(), len(suite.tests)) for name, suite in suites.items()]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
