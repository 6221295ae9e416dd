#!/usr/bin/env python3
"""Compares whole processes with OpenSSL's, and writes the ratios as JSON.

    python3 Benchmarks/process_ratios.py TVE COMPARISON VERIFICATION_WORK

TVE is the release build of the tool, COMPARISON that of the program of the same name here, VERIFICATION_WORK that of the
fixed workload that .ci/cost_check.py counts. Everything takes turns, and the median of the rounds counts.
"""

import base64
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / ".ci"))
import cost_check  # noqa: E402
import decrypt_check  # noqa: E402

KEYS = ROOT / "Vectors" / "keys"
PRIVATE, PUBLIC = KEYS / "test-only-issuer-2048.pkcs8.pem", KEYS / "test-only-issuer-2048.spki.pem"
ISSUED = 1_768_498_200_000
CORES = os.cpu_count()
FLOOR = "floor: SHA-256 and EVP_PKEY_verify, 2048 bits"
TOKENS, ROWS, BATCH_ROUNDS, DECRYPT_ROUNDS = 500, 300_000, 5, 3
RUNS = 200


def issue(tve, resource_id):
    command = [tve, "issue", "media-token", "--key", PRIVATE, "--requestor", "REF30", "--resource", resource_id,
               "--issued-at", str(ISSUED)]
    return subprocess.check_output(command, text=True).strip()


def timed(command, source):
    """Seconds from start to exit by the clock, seconds of processor time, and the text on standard error."""
    with open(source, "rb") as stream, open(os.devnull, "wb") as null, tempfile.TemporaryFile() as errors:
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), number) for number, file in enumerate((stream, null, errors))]
        start = time.perf_counter()
        # The module subprocess would add work of Python's own, which matters for processes of milliseconds.
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        elapsed = time.perf_counter() - start
        errors.seek(0)
        said = errors.read().decode()
    assert status == 0, f"{command[:2]} failed: {said}"
    return elapsed, usage.ru_utime + usage.ru_stime, said


def floor_of(comparison):
    """Microseconds of processor time for the bare calls."""
    found = json.loads(subprocess.check_output([comparison, "--rounds", "51", "--only", FLOOR]))
    return found["operations"][0]["microseconds"]


def batch(tve, comparison, folder):
    """The rate of `tve verify --batch` on all cores, divided by that of the bare calls on all cores."""
    tokens = [issue(tve, f"Channel{number}") for number in range(TOKENS)]
    rows = folder / "rows"
    with rows.open("w") as stream:
        for row in range(ROWS):
            number = row % TOKENS
            stream.write(json.dumps({"id": row, "token": tokens[number], "requestor": "REF30",
                                     "resource": f"Channel{number}", "at": ISSUED}) + "\n")
    ratios = []
    for _ in range(BATCH_ROUNDS):
        before = floor_of(comparison)
        clock, processor, said = timed([tve, "verify", "--batch", "--keys", PUBLIC], rows)
        assert json.loads(said.splitlines()[-1])["valid"] == ROWS, said
        floor = (before + floor_of(comparison)) / 2 * ROWS / 1e6
        ratios.append((floor / processor, floor / CORES / clock))
    return [statistics.median(column) for column in zip(*ratios)]


def process(tve, folder):
    """One `tve verify`, start to exit, against `openssl dgst -verify` of the same bytes."""
    token = issue(tve, "TestChannel")
    _, signature, signed = token.split("<signatureInfo>")
    for name, data in (("token", token.encode()), ("signature", base64.b64decode(signature)),
                       ("signed", signed.encode())):
        (folder / name).write_bytes(data)
    ours = [tve, "verify", "-", "--keys", PUBLIC, "--requestor", "REF30", "--resource", "TestChannel",
            "--at", str(ISSUED)]
    theirs = ["openssl", "dgst", "-sha256", "-verify", PUBLIC, "-signature", folder / "signature"]
    pairs = [(timed(ours, folder / "token"), timed(theirs, folder / "signed")) for _ in range(RUNS)]
    return {
        "ratio": statistics.median(mine[0] / other[0] for mine, other in pairs),
        "processor_ratio": statistics.median(mine[1] / other[1] for mine, other in pairs),
        "ours_ms": statistics.median(mine[0] for mine, _ in pairs) * 1000,
        "openssl_ms": statistics.median(other[0] for _, other in pairs) * 1000,
    }


def decryption(tve, folder):
    values = decrypt_check.make_values(24_000)
    floor = decrypt_check.build_floor(folder)
    found = [decrypt_check.compare(tve, floor, folder, "distinct", values, list(range(len(values))))
             for _ in range(DECRYPT_ROUNDS)]
    return [statistics.median(column) for column in zip(*found)]


def allocations(program):
    few, many = (cost_check.counts(program, "good", times)[1] for times in (cost_check.FEW, cost_check.MANY))
    return (many - few) / (cost_check.MANY - cost_check.FEW)


def main():
    tve, comparison, work = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        verify_processor, verify_clock = batch(tve, comparison, folder)
        # decrypt_check prints to standard output, which is for the result here.
        stdout, sys.stdout = sys.stdout, sys.stderr
        decrypt_processor, decrypt_clock = decryption(tve, folder)
        sys.stdout = stdout
        found = {
            "batch_verify": {"processor": verify_processor, "clock": verify_clock},
            "batch_decrypt": {"processor": decrypt_processor, "clock": decrypt_clock},
            "process": process(tve, folder),
            "allocations": allocations(work),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
