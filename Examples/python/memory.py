"""Decrypts many rows, and prints what memory and time it took.

    python3 memory.py PATH-OF-TVE KEY ROWS < VALUES

VALUES is a JSON list of encrypted postal codes. Linux only.
"""

import json
import os
import pathlib
import sys
import time

import tve


def peak_of(process):
    """Peak resident size in KiB; the kernel's figure for a child would count what it was copied from."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def child():
    """The process of tve: the only child, started by the main thread."""
    return pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[0]


def main():
    program, key, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    values = json.load(sys.stdin)
    rows = ({"id": number, "zip": values[number % len(values)]} for number in range(count))
    start, peak, decrypted, number = time.monotonic(), 0, 0, 0
    for number, row in enumerate(tve.decrypt_rows(rows, keys=key, fields="zip", program=program), 1):
        assert row["id"] == number - 1
        decrypted += row["_tve"]["ok"]
        # Not after the last row, when tve may have ended.
        if number % 5_000 == 0 and number < count:
            peak = max(peak, peak_of(child()))
    rate = number / (time.monotonic() - start)
    print(json.dumps({"rows": number, "decrypted": decrypted, "rows_per_second": round(rate),
                      "python_kib": peak_of("self"), "tve_kib": peak}))


if __name__ == "__main__":
    main()
