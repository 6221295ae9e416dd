#!/usr/bin/env python3
"""Counts the instructions and allocations of one verification, and compares them with costs.json.

    python3 .ci/cost_check.py PROGRAM            compare with .ci/costs.json
    python3 .ci/cost_check.py PROGRAM --store    write .ci/costs.json

PROGRAM is the product VerificationWork in the release configuration. It runs twice under valgrind's callgrind, with few
verifications and with more; the difference is what they cost, without the start of the program. Instructions of
libcrypto are left out: it chooses its code by the processor. A rise of more than 5 % fails; a fall is good news, and is named.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEY = HERE.parent / "Vectors" / "keys" / "test-only-issuer-2048.pkcs8.pem"
STORED = HERE / "costs.json"
FEW, MANY = 50, 250
TOLERANCE = 0.05
# Swift code allocates all its memory through this function of the runtime.
SWIFT_ALLOCATION = "swift_slowAlloc"


def counts(program, kind, times):
    """Instructions outside libcrypto, and the calls of swift_slowAlloc and malloc."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        # With a random seed, hash tables of the runtime would have another layout in each run.
        environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
             f"--callgrind-out-file={out}", program, KEY, str(times), kind],
            capture_output=True, text=True, env=environment, timeout=300,
        )
        if run.returncode != 0:
            sys.exit(f"{program} failed under valgrind:\n{run.stderr[-2000:]}")
        expected = str(times if kind == "good" else 0)
        if run.stdout.strip() != expected:
            sys.exit(f"{program}: {run.stdout.strip()} of {times} passed, expected {expected}")
        return read(out)


def read(out):
    instructions, calls = 0, {SWIFT_ALLOCATION: 0, "malloc": 0}
    library = called = None
    is_call = False
    for line in out.read_text().splitlines():
        if line.startswith("ob="):
            library = line[3:]
        elif line.startswith("cfn="):
            called = line[4:]
        elif line.startswith("calls="):
            if called in calls:
                calls[called] += int(line[6:].split()[0])
            is_call = True
        elif re.match(r"[0-9+*-]", line):
            # The line after "calls=" repeats the cost of the called function, whose own lines have it, too.
            if not is_call and "libcrypto" not in (library or ""):
                instructions += int(line.split()[1])
            is_call = False
    return instructions, calls[SWIFT_ALLOCATION], calls["malloc"]


def main():
    arguments = [word for word in sys.argv[1:] if word != "--store"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = {}
    for kind in ("good", "malformed"):
        few, many = counts(arguments[0], kind, FEW), counts(arguments[0], kind, MANY)
        per_token = [(more - less) / (MANY - FEW) for less, more in zip(few, many)]
        found[kind] = {
            "instructions outside libcrypto": round(per_token[0]),
            "allocations by Swift code": round(per_token[1], 1),
            "allocations by all": round(per_token[2], 1),
        }
    if "--store" in sys.argv:
        STORED.write_text(json.dumps(found, indent=2) + "\n")
    stored = json.loads(STORED.read_text())
    failed = False
    for kind, costs in found.items():
        for name, count in costs.items():
            before = stored[kind][name]
            has_risen, has_fallen = count > before * (1 + TOLERANCE), count < before * (1 - TOLERANCE)
            failed = failed or has_risen
            print(f"{kind} token, {name}: {count:g} (stored: {before:g}){'  RISEN' * has_risen}{'  fallen' * has_fallen}")
    if failed:
        sys.exit("A verification costs more than before. If you meant that: .ci/cost_check.py PROGRAM --store")


if __name__ == "__main__":
    main()
