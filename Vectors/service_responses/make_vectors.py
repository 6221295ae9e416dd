#!/usr/bin/env python3
"""Writes service_response_test.json. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. Python's JSON reader, the reference verifier of media tokens and
the reference decrypter of metadata have to agree before anything is written. No clock, no randomness: the same keys
give the same bytes.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import attributes, decisions, errors, profiles, syntax, timestamps, token_bodies, user_metadata
from cases.suite import Suite

THEMES = [profiles, timestamps, attributes, syntax, decisions, user_metadata, token_bodies, errors]


def build():
    suite = Suite()
    for theme in THEMES:
        theme.add(suite)
    suite.check()
    counts = [(kind, len(tests)) for kind, tests in suite.groups.items()]
    return [vector_files.VectorFile("service_response_test.json", suite.json_text(), suite.count, counts)]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
