#!/usr/bin/env python3
"""Writes metadata_decryption_test.json. See README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. The reference decrypter has to agree with every one of them, both
with and without implicit rejection, and `cryptography` with every block, before anything is written. No clock, no
randomness: the same keys give the same bytes.
"""

import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import damage, encodings, paddings, rings, sizes, texts
from cases.suite import Suite

THEMES = [sizes, rings, encodings, damage, texts, paddings]


def build():
    suite = Suite()
    for theme in THEMES:
        theme.add(suite)
    suite.check()
    counts = sorted(collections.Counter(case.code or "decrypted" for case in suite.cases).items())
    return [vector_files.VectorFile("metadata_decryption_test.json", suite.json_text(), len(suite.cases), counts)]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
