#!/usr/bin/env python3
"""Writes broker_message_test.json. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. The reader in reference_reader.py has to agree with every one of
them before anything is written. No clock, no randomness: the same scripts give the same bytes.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import configuration, errors, hostile, logout, registration, samples, session_status, sessions
from cases.suite import Suite

THEMES = [configuration, sessions, session_status, logout, registration, errors, samples, hostile]


def build():
    suite = Suite()
    for theme in THEMES:
        theme.add(suite)
    suite.check()
    counts = [(kind, len(tests)) for kind, tests in suite.groups.items()]
    return [vector_files.VectorFile("broker_message_test.json", suite.json_text(), suite.count, counts)]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
