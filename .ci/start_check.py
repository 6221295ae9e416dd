#!/usr/bin/env python3
"""Measures one `tve verify`, from its start to its exit, against `openssl dgst -verify` of the same bytes.

    python3 .ci/start_check.py PATH-OF-TVE [RUNS]

PATH-OF-TVE is what `make release` builds. Both check one RSA-2048 signature with one key, RUNS times each (300), in turn.
The ratio of the medians counts, by the clock and by processor time: the better of the two, since other work on the
machine lengthens either, and which of them depends on that work. A time decides nothing here: the figures are for the reader.
"""

import base64
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE.parent / "Vectors" / "keys"
PRIVATE, PUBLIC = KEYS / "test-only-issuer-2048.pkcs8.pem", KEYS / "test-only-issuer-2048.spki.pem"
WANTED = 2.2
MARKER = b"<signatureInfo>"


def run(command, source):
    """Runs a command once; microseconds by the clock and of processor time."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, source, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(process, 0)
    elapsed = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {os.waitstatus_to_exitcode(status)}")
    return elapsed * 1e6, (used.ru_utime + used.ru_stime) * 1e6


def prepare(tve, folder):
    """Writes a token, and its parts; the two commands, each with its standard input."""
    issue = [tve, "issue", "media-token", "--key", PRIVATE, "--requestor", "REF30", "--resource", "REF30"]
    token = subprocess.check_output(issue).rstrip(b"\n")
    _, signature, signed = token.split(MARKER)
    (folder / "token").write_bytes(token)
    (folder / "signature").write_bytes(base64.b64decode(signature))
    (folder / "signed").write_bytes(signed)
    openssl = subprocess.check_output(["which", "openssl"], text=True).strip()
    return {
        "tve": ([tve, "verify", "-", "--keys", PUBLIC, "--requestor", "REF30", "--resource", "REF30"], folder / "token"),
        "openssl": ([openssl, "dgst", "-sha256", "-verify", PUBLIC, "-signature", folder / "signature"],
                    folder / "signed"),
    }


def main():
    tve = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    with tempfile.TemporaryDirectory() as folder:
        commands = prepare(tve, pathlib.Path(folder))
        for command in commands.values():
            run(*command)
        times = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                times[name].append(run(*command))
    ratios = []
    for index, kind in enumerate(["by the clock", "processor time"]):
        ours, theirs = (statistics.median(time[index] for time in times[name]) for name in ("tve", "openssl"))
        ratios.append(ours / theirs)
        print(f"{kind}: tve verify {ours:.0f} µs, openssl dgst -verify {theirs:.0f} µs, ratio {ratios[-1]:.2f}")
    print(f"the better one: {min(ratios):.2f}; on a quiet machine at most {WANTED} is wanted")


if __name__ == "__main__":
    main()
