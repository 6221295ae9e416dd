#!/usr/bin/env python3
"""Writes metadata_decryption_test.json. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. The reference decrypter has to agree with every one of them, both
with and without implicit rejection, and `cryptography` with every block, before anything is written. No clock, no
randomness: the same keys give the same bytes.
"""

import argparse
import collections
import pathlib
import sys

from cases import damage, encodings, paddings, rings, sizes, texts
from cases.suite import Suite

FILE = pathlib.Path(__file__).resolve().parent / "metadata_decryption_test.json"
THEMES = [sizes, rings, encodings, damage, texts, paddings]


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
    print(f"{len(suite.cases)} cases, {len(made)} bytes")
    for code, count in sorted(collections.Counter(case.code or "decrypted" for case in suite.cases).items()):
        print(f"{count:5} {code}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
