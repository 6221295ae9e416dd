#!/usr/bin/env python3
"""Compares the speed of `tve decrypt --batch` with OpenSSL's own decrypt call, and checks every row of the output.

    python3 .ci/decrypt_check.py PATH-OF-TVE [DISTINCT [REPEATS [MANY]]]

Every row has to be right, and memory stays below 64 MiB, for JSON and for CSV, which Python writes and reads. The rates decide
nothing; they are printed beside what a quiet machine has to reach: DISTINCT rows with values of their own 0.95 of what OpenSSL's
call does in a bare loop on all cores; REPEATS rows of which nine in ten repeat a value 8 times that rate; CSV 0.9 of the rate of
JSON. The loop and the tool run in turn, and the middle of their ratios is told, by the clock and by processor time.

Needs a C compiler, the headers of OpenSSL, and the Python package `cryptography`.
"""

import base64
import csv
import json
import os
import pathlib
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_pem_private_key

HERE = pathlib.Path(__file__).resolve().parent
KEY = HERE.parent / "Vectors" / "keys" / "test-only-issuer-2048.pkcs8.pem"
ROUNDS = 3
LIMIT = 64 * 1024  # KiB resident
CORES = os.cpu_count()


def build_floor(folder):
    flags = shlex.split(subprocess.check_output(["pkg-config", "--cflags", "--libs", "libcrypto"], text=True))
    program = folder / "floor"
    compiler = os.environ.get("CC") or shutil.which("cc") or "clang"
    subprocess.run([compiler, "-O2", "-o", program, HERE / "decrypt_floor.c", *flags], check=True)
    return program


def floor_of(program):
    """Microseconds that one call takes with a loop on each core: by the clock, of processor time."""
    loops = [subprocess.Popen([program, KEY, "1.5"], stdout=subprocess.PIPE, text=True) for _ in range(CORES)]
    said = [[float(figure) for figure in loop.communicate()[0].split()] for loop in loops]
    return tuple(statistics.harmonic_mean(figures) for figures in zip(*said))


def make_values(count):
    """Rows without their ids, as JSON text, and the text each is to show."""
    key = load_pem_private_key(KEY.read_bytes(), None).public_key()
    values = []
    for number in range(count):
        text = f'["{number % 100000:05}"]'
        value = base64.b64encode(key.encrypt(text.encode(), padding.PKCS1v15())).decode()
        values.append((f'"event": "play", "ts": {1_768_498_200_000 + number}, "zip": "{value}"}}\n', text))
    return values


def write_rows(stream, values, chosen):
    try:
        block = []
        for row, index in enumerate(chosen):
            block.append(f'{{"id": {row}, {values[index][0]}')
            if len(block) == 1000:
                stream.write("".join(block).encode())
                block = []
        stream.write("".join(block).encode())
        stream.close()
    except BrokenPipeError:
        pass  # the reader of the output reports the error


def timed(tve, rows, answers, *options):
    """Runs the tool on a file; microseconds per row, by the clock and of processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with rows.open("rb") as source, answers.open("wb") as target:
        command = [tve, "decrypt", "--batch", "--keys", KEY, "--field", "zip", *options]
        done = subprocess.run(command, stdin=source, stdout=target, stderr=subprocess.PIPE)
    elapsed, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr.decode()
    count = json.loads(done.stderr.splitlines()[-1])["decrypted"]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed * 1e6 / count, used * 1e6 / count


def expect_answer(line, row, text):
    answer = json.loads(line)
    assert answer["id"] == row, f"row {row} came out as {answer['id']}"
    assert answer["zip"] == text, f"row {row}: {answer}"
    assert answer["_tve"] == {"ok": True, "key": KEY.name}, f"row {row}: {answer}"


def compare(tve, floor, folder, name, values, chosen):
    """Runs loop and tool in turn, and prints and returns the tool's rate as a part of the loop's: by processor time, by clock."""
    rows, answers = folder / "rows", folder / "answers"
    ratios, waits = [], []
    size = len(chosen) // ROUNDS
    for start in range(0, size * ROUNDS, size):
        part = chosen[start:start + size]
        with rows.open("wb") as stream:
            write_rows(stream, values, part)
        before = floor_of(floor)
        clock, processor = timed(tve, rows, answers)
        after = floor_of(floor)
        waits += [before[0] / before[1], after[0] / after[1]]
        ratios.append(((before[0] + after[0]) / 2 / CORES / clock, (before[1] + after[1]) / 2 / processor))
        with answers.open() as lines:
            assert sum(expect_answer(line, row, values[part[row]][1]) or 1 for row, line in enumerate(lines)) == size
    clock, processor = (statistics.median(ratio[kind] for ratio in ratios) for kind in (0, 1))
    is_busy = statistics.median(waits) > 1.1
    print(f"{name}: {size * ROUNDS} rows, {processor:.3f} of the bare loop's rate by processor time, "
          f"{clock:.3f} of {CORES} loops by the clock" + (" (the machine is busy)" if is_busy else ""))
    return processor, clock


def measure(tve, floor, folder, name, values, chosen, wanted):
    compare(tve, floor, folder, name, values, chosen)
    print(f"{name}: {wanted} wanted on a quiet machine")


def check_memory(tve, values, count):
    """Streams many rows, and checks each row and the peak of memory."""
    numbers = random.Random(2)
    chosen = [numbers.randrange(len(values)) for _ in range(99_991)]
    command = [tve, "decrypt", "--batch", "--keys", KEY, "--field", "zip"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    indices = (chosen[row % len(chosen)] for row in range(count))
    threading.Thread(target=write_rows, args=(process.stdin, values, indices), daemon=True).start()
    peak = row = 0
    for row, line in enumerate(process.stdout, 1):
        expect_answer(line, row - 1, values[chosen[(row - 1) % len(chosen)]][1])
        if row % 20_000 == 0 or row == count:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = max(peak, *[int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")], 0)
    errors = process.stderr.read().decode()
    assert process.wait() == 0, errors
    assert row == count, f"{row} rows of {count} came out"
    summary = json.loads(errors.splitlines()[-1])
    assert summary["rows"] == summary["decrypted"] == count, summary
    print(f"memory: {count} rows, at most {peak / 1024:.1f} MiB resident")
    assert 0 < peak < LIMIT, f"{peak} KiB resident, the limit is {LIMIT}"


def separated(values, chosen):
    """The same rows as CSV: with values that have to be quoted, and line ends in them."""
    for row, index in enumerate(chosen):
        fields = json.loads("{" + values[index][0])
        yield [row, fields["event"] + ("" if row % 3 else ', "again"'), "two\nlines" if row % 7 == 0 else "", fields["zip"]]


def write_separated(stream, values, chosen):
    with open(stream.fileno(), "w", newline="", closefd=False) as text:
        writer = csv.writer(text)
        writer.writerow(["id", "event", "a, b", "zip"])
        writer.writerows(separated(values, chosen))
    stream.close()


def check_separated(tve, values, count, folder):
    """Streams many CSV rows, and checks each row, the peak of memory, and the rate beside that of JSON."""
    numbers = random.Random(3)
    chosen = [numbers.randrange(len(values)) for _ in range(99_991)]
    command = [tve, "decrypt", "--batch", "--keys", KEY, "--input", "csv", "--field", "zip"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    indices = [chosen[row % len(chosen)] for row in range(count)]
    threading.Thread(target=write_separated, args=(process.stdin, values, indices), daemon=True).start()
    expected = separated(values, indices)
    answers = csv.reader(open(process.stdout.fileno(), newline="", closefd=False), strict=True)
    assert next(answers) == ["id", "event", "a, b", "zip", "_tve"]
    peak = row = 0
    for row, (answer, wanted) in enumerate(zip(answers, expected), 1):
        wanted = [str(wanted[0]), *wanted[1:3], values[indices[row - 1]][1], "ok"]
        assert answer == wanted, f"row {row}: {answer}, wanted {wanted}"
        if row % 20_000 == 0 or row == count:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = max(peak, *[int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")], 0)
    assert process.wait() == 0 and row == count, process.stderr.read().decode()
    print(f"memory with CSV: {count} rows, at most {peak / 1024:.1f} MiB resident")
    assert 0 < peak < LIMIT, f"{peak} KiB resident, the limit is {LIMIT}"

    # The same rows as JSON, from files, in turn.
    rows = {"rows": folder / "rows.ndjson", "csv": folder / "rows.csv"}
    with rows["rows"].open("w") as stream:
        for row in separated(values, indices):
            stream.write(json.dumps(dict(zip(["id", "event", "a, b", "zip"], row))) + "\n")
    write_separated(rows["csv"].open("wb"), values, indices)
    used = {"rows": [], "csv": []}
    for _ in range(ROUNDS):
        for kind, path in rows.items():
            used[kind].append(timed(tve, path, folder / "answers", "--input", kind)[1])
    ratio = statistics.median(a / b for a, b in zip(used["rows"], used["csv"]))
    print(f"CSV: {ratio:.2f} of the rate of JSON by processor time; 0.9 wanted on a quiet machine")


def main():
    tve = pathlib.Path(sys.argv[1]).resolve()
    distinct = int(sys.argv[2]) if len(sys.argv) > 2 else 60_000
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 300_000
    many = int(sys.argv[4]) if len(sys.argv) > 4 else 300_000
    numbers = random.Random(1)
    values = make_values(max(distinct, repeats // 10 // ROUNDS * ROUNDS))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        floor = build_floor(folder)
        measure(tve, floor, folder, "distinct", values, list(range(distinct)), 0.95)
        # Each round has its own values, a tenth as many as rows, in random order.
        chosen, own = [], repeats // ROUNDS // 10
        for start in range(0, own * ROUNDS, own):
            part = list(range(start, start + own))
            part += [numbers.choice(part) for _ in range(own * 9)]
            numbers.shuffle(part)
            chosen += part
        measure(tve, floor, folder, "nine in ten repeat", values, chosen, 0.95 * 8)
        check_separated(tve, values, many, folder)
    check_memory(tve, values, many)


if __name__ == "__main__":
    main()
