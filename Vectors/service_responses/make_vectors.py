#!/usr/bin/env python3
"""Writes service_response_test.json. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. Python's JSON reader, the reference verifier of media tokens and
the reference decrypter of metadata have to agree before anything is written. No clock, no randomness: the same keys
give the same bytes.
"""

import argparse
import pathlib
import sys

from cases import attributes, decisions, errors, profiles, syntax, timestamps, token_bodies, user_metadata
from cases.suite import Suite

FILE = pathlib.Path(__file__).resolve().parent / "service_response_test.json"
THEMES = [profiles, timestamps, attributes, syntax, decisions, user_metadata, token_bodies, errors]


def build():
    suite = Suite()
    for theme in THEMES:
        theme.add(suite)
    suite.check()
    return suite


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if the file differs")
    check_only = parser.parse_args().check
    suite = build()
    made = suite.json_text().encode()
    if check_only:
        same = FILE.exists() and FILE.read_bytes() == made
        print("unchanged" if same else f"{FILE.name} differs from what this script makes")
        return 0 if same else 1
    FILE.write_bytes(made)
    print(f"{suite.count} cases, {len(made)} bytes")
    for kind, tests in suite.groups.items():
        print(f"{len(tests):5} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
