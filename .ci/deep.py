#!/usr/bin/env python3
"""Runs the checks that take longer than the gate, and notes in .ci/deep.json what passed, and when.

    .ci/deep.py                  all of them
    .ci/deep.py asan fuzz        these
    .ci/deep.py --list           what there is
    .ci/deep.py --reminder       the ones whose inputs have changed since they passed, or that have never passed

Each is a script in .ci/deep with a limit of its own. Noted are the date, the commit, and a digest of what the check looks at.
Times and figures are printed, and lie in .build/deep with all output; none decides. A check that passes on what is not
committed is not noted.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = ROOT / ".ci" / "deep.json"
# What is noted is no input.
NOT_NOTES = [":!.ci/deep.json"]
# How many of its last lines are printed of a check that passed.
LINES = 24
EVERYTHING = ["Package.swift", "Sources", "Tests", "Vectors"]
TESTED = EVERYTHING + ["Makefile", ".ci/run_tests", ".ci/never_again.py"]
SERVED = ["Package.swift", "Sources", "Examples/service", ".ci/service_check.py"]
TOOL = ["Package.swift", "Sources", "Makefile"]
# Name, the most seconds it may take, and what it looks at, beside its script.
CHECKS = {
    "asan": (3600, TESTED + [".ci/lsan.supp", ".ci/asan_exit.c"]),
    "threads": (3600, TESTED + [".ci/tsan_mutex.c", ".ci/tsan.supp"]),
    "released": (5400, TESTED),
    "times": (3600, TESTED),
    "documents": (2400, ["Package.swift", "Sources", "README.md", "Examples", "CONTRIBUTING.md", ".ci/snippets.py", ".ci/docs.py"]),
    "service": (2400, SERVED + [
        ".ci/clients_check.py", ".ci/clients", ".ci/simulate_client.py", ".ci/proxy_attacks.py", ".ci/upgrades.py",
        ".ci/UpgradingClient.java", ".ci/release_check.py", ".ci/browser.py"]),
    "gateway": (2400, SERVED + [".ci/gateway_check.py", ".ci/gateway"]),
    "faults": (2400, SERVED + [".ci/faults.py", ".ci/faults"]),
    "edges": (1800, SERVED + ["Vectors/playback_sessions", ".ci/edge_check.py"]),
    "simulate": (2400, TESTED + [
        "Examples/simulator", ".ci/simulate_check.py", ".ci/simulate_client.py", ".ci/service_check.py", ".ci/browser.py"]),
    "apps": (2400, ["Package.swift", "Sources", "Examples/app-sdk", "Examples/tv", "Examples/web-sdk",
                    ".ci/tv_check.py", ".ci/web_check.py", ".ci/browser.py"]),
    "examples": (1800, SERVED + ["Examples/java", "Examples/node", ".ci/examples_check.py", ".ci/monitoring_check.py"]),
    "install": (1800, TOOL + ["Packaging", ".ci/install", "Examples/python/tve.py", ".ci/start_check.py", ".ci/memory_check.py"]),
    "batches": (1800, TOOL + ["Examples/python", "Examples/kafka", ".ci/batch_check.py", ".ci/decrypt_check.py"]),
    "spark": (1800, TOOL + ["Examples/spark", "Examples/python/tve.py"]),
    "fuzz": (5400, ["Package.swift", "Sources", "Fuzz"]),
    "benchmarks": (3600, ["Package.swift", "Sources", "Benchmarks", ".ci/benchmarks_check.py"]),
    "debian": (5400, EVERYTHING + ["Packaging", "NOTICES.md", "Examples/service/Containerfile", ".ci/debian"]),
}


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", *arguments], check=True, capture_output=True, text=True).stdout


def inputs_of(name):
    return [*CHECKS[name][1], f".ci/deep/{name}", ".ci/deep/common.sh", ".ci/install.sh", ".ci/requirements"]


def digest(name):
    """What git has of a check's inputs, in short."""
    return hashlib.sha256(git("ls-files", "-s", "--", *inputs_of(name), *NOT_NOTES).encode()).hexdigest()[:16]


def notes():
    return json.loads(NOTES.read_text()) if NOTES.exists() else {}


def reminder():
    passed = notes()
    stale = [name for name in CHECKS if passed.get(name, {}).get("inputs") != digest(name)]
    if stale:
        print("make deep: not passed on this state:", ", ".join(
            f"{name} ({'passed ' + passed[name]['date'][:10] if name in passed else 'never'})" for name in stale))


def sessions_of(process):
    """The session of a check, and those that its processes have begun."""
    said = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,sid="], check=True, capture_output=True, text=True).stdout
    rows = [tuple(map(int, line.split())) for line in said.splitlines()]
    session_of = {number: session for number, _, session in rows}
    found, before = {process.pid}, 0
    while len(found) > before:
        before = len(found)
        found |= {session for _, parent, session in rows if session_of.get(parent) in found}
    return ",".join(map(str, found))


def end_sessions(process):
    """Ends a check and all that it has started; .ci/run_tests gets the time to end the tests, and to say which they were."""
    sessions = sessions_of(process)
    subprocess.run(["pkill", "-TERM", "-s", sessions], check=False)
    for _ in range(300):
        process.poll()
        found = subprocess.run(["ps", "-o", "stat=", "--sid", sessions], capture_output=True, text=True, check=False).stdout
        if all(state.startswith("Z") for state in found.split()):
            return
        time.sleep(0.1)
    subprocess.run(["pkill", "-KILL", "-s", sessions], check=False)


def end(*_):
    """A signal that ends this script ends the check that it runs, too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(143)


def run(name):
    """Runs a check, prints what it says was measured and its last lines, and returns whether it passed."""
    limit, start = CHECKS[name][0], time.monotonic()
    log = ROOT / ".build" / "deep" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    print(f"\n== {name}: at most {limit} s; all output: {log.relative_to(ROOT)}", flush=True)
    with open(log, "w") as output:
        process = subprocess.Popen(
            [ROOT / ".ci" / "deep" / name], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # Also if this script is ended.
            end_sessions(process)
    lines = plain(log.read_text(errors="replace"))
    last = LINES if status == 0 else 80
    print(*[line for line in lines[:-last] if line.startswith("measured: ")], *lines[-last:], sep="\n")
    print({0: "passed", None: f"FAILED: more than {limit} s"}.get(status, f"FAILED: exit code {status}"),
          f"after {round(time.monotonic() - start)} s")
    return status == 0


def plain(text):
    """The lines of a log that say something, without colours and without paths of this machine."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).replace(str(ROOT), ".").splitlines()
    return [line for line in lines if line.strip()]


def note(name):
    if git("status", "--porcelain", "--", *inputs_of(name), *NOT_NOTES):
        print(f"{name}: not noted, since its inputs are not committed")
        return
    passed = notes()
    passed[name] = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": git("rev-parse", "HEAD").strip(), "inputs": digest(name)}
    NOTES.write_text(json.dumps(dict(sorted(passed.items())), indent=1, ensure_ascii=False) + "\n")


def main():
    wanted = sys.argv[1:]
    if wanted == ["--list"]:
        for name, (limit, inputs) in CHECKS.items():
            lines = (ROOT / ".ci" / "deep" / name).read_text().splitlines()[1:]
            print(f"{name:11} {' '.join(line[2:] for line in lines if line.startswith('# ')).partition('. ')[0]}")
        return
    if wanted == ["--reminder"]:
        reminder()
        return
    unknown = set(wanted) - set(CHECKS)
    if unknown:
        sys.exit(f"no such check: {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    failed = []
    for name in wanted or CHECKS:
        if run(name):
            note(name)
        else:
            failed.append(name)
    print(f"\n{len(wanted or CHECKS) - len(failed)} checks passed{', FAILED: ' + ', '.join(failed) if failed else ''}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
