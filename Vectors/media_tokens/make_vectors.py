#!/usr/bin/env python3
"""Writes media_token_verify_test.json. See ../README.md.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Each expectation is stated by hand beside its case. The reference verifier has to agree with every one of them
before anything is written. No clock, no randomness: the same keys give the same bytes.
"""

import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import base64_layers, container, expectations, foreign, limits, matrix, paddings, percent_encoding
from cases import signatures, signed_bytes, splitting, structure, text, times
from cases.suite import Suite

# In the order of the verifier's steps, after the matrix of all combinations.
THEMES = [
    matrix, container, base64_layers, percent_encoding, foreign, splitting, signatures, paddings, signed_bytes,
    structure, text, times, expectations, limits,
]


def build():
    suite = Suite()
    for theme in THEMES:
        theme.add(suite)
    suite.assert_distinct()
    suite.assert_reference_agrees()
    counts = sorted(collections.Counter(case.code for case in suite.cases).items())
    return [
        vector_files.VectorFile("media_token_verify_test.json", suite.json_text(), len(suite.cases), counts)
    ]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
