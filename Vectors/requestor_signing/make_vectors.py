#!/usr/bin/env python3
"""Writes the test vectors for requestor IDs, service tokens and clientless requests. See ../README.md.

    python3 make_vectors.py            write the files
    python3 make_vectors.py --check    write nothing; exit 1 if a file is not what the script makes

Each expectation is stated by hand beside its case; where it says something about a signature, `cryptography` has to
agree before anything is written. No clock, no randomness: the same keys give the same bytes.
"""

import argparse
import pathlib
import sys

from cases import clientless, requestor_signing, requestor_verification, service_tokens, web_tokens

FOLDER = pathlib.Path(__file__).resolve().parent
THEMES = {
    "requestor_sign_test.json": requestor_signing,
    "requestor_verify_test.json": requestor_verification,
    "service_token_sign_test.json": service_tokens,
    "json_web_token_verify_test.json": web_tokens,
    "clientless_request_test.json": clientless,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if a file differs")
    check_only = parser.parse_args().check
    differing = []
    for name, theme in THEMES.items():
        suite = theme.suite()
        made = suite.json_text().encode()
        file = FOLDER / name
        if not check_only:
            file.write_bytes(made)
            print(f"{name}: {suite.count} cases, {len(made)} bytes")
        elif not file.exists() or file.read_bytes() != made:
            differing.append(name)
    if check_only:
        print(f"{', '.join(differing)}: not what this script makes" if differing else "unchanged")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
