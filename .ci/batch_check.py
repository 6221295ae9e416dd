#!/usr/bin/env python3
"""Runs `tve verify --batch` on many rows: order kept, every verdict and the summary right, memory constant.

    python3 .ci/batch_check.py PATH-OF-TVE [ROWS]

The rows are made while they are read, so nothing large is on disk or in memory.
"""

import collections
import json
import pathlib
import subprocess
import sys
import threading

KEYS = pathlib.Path(__file__).resolve().parent.parent / "Vectors" / "keys"
LIMIT = 64 * 1024  # KiB resident
ISSUED = 1_768_498_200_000
NOW = ISSUED + 60_000
BLOCK = 1000


def issue(tve, number, *options):
    arguments = [
        tve, "issue", "media-token", "--key", KEYS / "test-only-issuer-2048.pkcs8.pem",
        "--requestor", "REF30", "--resource", f"Channel{number}", "--issued-at", str(ISSUED), *options,
    ]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.strip()


def make_cases(tve):
    """Rows without their id, as JSON text, and the code that each must get."""
    cases = []

    def add(token, code, **members):
        row = {"token": token, "requestor": "REF30", "resource": None, "at": NOW} | members
        cases.append((json.dumps(row)[1:], code))

    for number in range(300):
        layers = str(number % 3)
        token = issue(tve, number, "--base64-layers", layers)
        add(token, "valid", resource=f"Channel{number}")
        match number % 10:
            case 0: add(token, "expired", at=ISSUED + 10_000_000)
            case 1: add(token, "not_yet_valid", at=ISSUED - 10_000_000)
            case 2: add(token, "resource_mismatch", resource="Other")
            case 3: add(token, "requestor_mismatch", requestor="Other")
            case 4: add(issue(tve, number, "--base64-layers", layers, "--fault", "body-byte-changed"), "bad_signature")
            case 5: add(token[: len(token) // 3], "malformed")
            case 6: add("x" * 70_000, "too_large")
            case 7: add(17, "bad_row")
    # Mixes the rows, so that neighbouring rows are of different kinds.
    return cases[::2] + cases[1::2]


def write_rows(stream, cases, count):
    try:
        for start in range(0, count, BLOCK):
            rows = range(start, min(start + BLOCK, count))
            stream.write("".join(f'{{"id": {row}, {cases[row % len(cases)][0]}\n' for row in rows).encode())
        stream.close()
    except BrokenPipeError:
        pass  # the reader of the output reports the error


def peak_of(process):
    """Peak resident size in KiB; the kernel's figure for the child would count this script's own memory before exec."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def main():
    tve, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    cases = make_cases(tve)
    process = subprocess.Popen(
        [tve, "verify", "--batch", "--keys", KEYS / "test-only-issuer-2048.spki.pem"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    threading.Thread(target=write_rows, args=(process.stdin, cases, count), daemon=True).start()

    peak, row, expected = 0, 0, collections.Counter()
    for line in process.stdout:
        verdict = json.loads(line)
        code = cases[row % len(cases)][1]
        assert verdict["id"] == row, f"row {row} came out as {verdict['id']}"
        assert verdict["code"] == code, f"row {row}: {verdict}, expected {code}"
        assert verdict["valid"] == (code == "valid"), verdict
        expected[code] += 1
        row += 1
        if row % 20_000 == 0 or row == count:
            peak = max(peak, peak_of(process))
    errors = process.stderr.read().decode()
    status = process.wait()
    assert status == 0, f"exit {status}: {errors}"
    assert row == count, f"{row} rows of {count} came out"

    summary = json.loads(errors.strip().splitlines()[-1])
    refused = count - expected["valid"] - expected["bad_row"]
    stated = [summary[name] for name in ("rows", "valid", "refused", "bad_rows")]
    assert stated == [count, expected["valid"], refused, expected["bad_row"]], summary
    assert summary["codes"] == dict(expected), summary
    print(f"{count} rows, {summary['rows_per_second']}/s, at most {peak / 1024:.1f} MiB resident")
    assert 0 < peak < LIMIT, f"{peak} KiB resident, the limit is {LIMIT}"


if __name__ == "__main__":
    main()
