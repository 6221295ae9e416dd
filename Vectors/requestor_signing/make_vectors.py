#!/usr/bin/env python3
"""Writes the test vectors for requestor IDs, service tokens and clientless requests. See ../README.md.

    python3 make_vectors.py            write the files
    python3 make_vectors.py --check    write nothing; exit 1 if a file is not what the script makes

Each expectation is written by hand beside its case; if it concerns a signature, `cryptography` must agree before
anything is written. No clock, no randomness: the same keys give the same bytes.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import clientless, requestor_signing, requestor_verification, service_tokens, web_tokens

THEMES = {
    "requestor_sign_test.json": requestor_signing,
    "requestor_verify_test.json": requestor_verification,
    "service_token_sign_test.json": service_tokens,
    "json_web_token_verify_test.json": web_tokens,
    "clientless_request_test.json": clientless,
}


def build():
    suites = {name: theme.suite() for name, theme in THEMES.items()}
    return [vector_files.VectorFile(name, suite.json_text(), suite.count) for name, suite in suites.items()]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
