"""Checks what runs the tests and the checks, with a program that only looks like one of tests.

    python3 .ci/runner_check.py

What was started is ended with what started it; names and counts are right also then; what must not be tried again is not.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 120
# Writes the events that a file has, starts a server that outlives it, and ends with a status, or never.
PROGRAM = """#!/usr/bin/env python3
import os, pathlib, subprocess, sys, time
folder = pathlib.Path(__file__).parent
is_again = "--no-parallel" in sys.argv
events = (folder / ("again" if is_again else "events")).read_text()
pathlib.Path(sys.argv[sys.argv.index("--event-stream-output-path") + 1]).write_text(events)
print((folder / "said").read_text())
status = (folder / ("again-status" if is_again else "status")).read_text()
if status == "never":
    server = subprocess.Popen(["sleep", "1000"], process_group=0)
    (folder / "started").write_text(f"{os.getpid()} {server.pid}")
    time.sleep(1000)
sys.exit(int(status))
"""
PACER = "BrokerClientTests.PacerTests/{}()/PacerTests.swift:3:2"
SENTINEL = "RedisStoresTests.SentinelTests/one()/SentinelTests.swift:3:2"


def event(kind, test="", **more):
    return json.dumps({"kind": "event", "payload": {"kind": kind, "testID": test, "messages": [{"text": "said"}], **more}})


def events(*tests, ends=True):
    """Those of a run: of each test, whether it passes, fails, is skipped, or has not ended."""
    lines = []
    for test, outcome in tests:
        lines.append(json.dumps({"kind": "test", "payload": {"id": test, "displayName": "", "isParameterized": False}}))
        if outcome == "skipped":
            lines.append(event("testSkipped", test).replace("said", "redis-server is not installed"))
            continue
        lines.append(event("testStarted", test))
        if "failed" in outcome:
            lines.append(event("issueRecorded", test, issue={"isKnown": False}))
        if "open" not in outcome:
            lines.append(event("testEnded", test))
    return "\n".join(lines + [event("runEnded")] * ends)


def is_alive(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f".ci/runner_check.py: waited in vain for {what}")
        time.sleep(0.02)


class Bench:
    """A folder with such a program, and a `swift` that says where it is."""

    def __init__(self, folder, ran, status="0", again="", again_status="0", said=""):
        self.folder, self.started = pathlib.Path(folder), pathlib.Path(folder) / "started"
        self.started.unlink(missing_ok=True)
        texts = {"fakePackageTests.xctest": PROGRAM, "swift": f"#!/bin/sh\necho {folder}\n", "events": ran, "status": status,
                 "again": again, "again-status": again_status, "said": said}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        for name in ("fakePackageTests.xctest", "swift"):
            (self.folder / name).chmod(0o755)
        self.command = [HERE / "run_tests", self.folder / "test.log"]
        self.environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}

    def start(self, command=None, **more):
        return subprocess.Popen(command or self.command, env=self.environment | more, cwd=HERE.parent, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def ended(self, process):
        """The lines of a process that ends, and its status; what the program had started must end, too."""
        said = process.communicate(timeout=PATIENCE)[0]
        for number in self.started.read_text().split() if self.started.exists() else []:
            wait(f"the end of process {number}", lambda number=number: not is_alive(number))
        return said.splitlines(), process.returncode

    def run(self, **more):
        return self.ended(self.start(**more))

    def is_running(self):
        wait("the program", lambda: self.started.exists() and len(self.started.read_text().split()) == 2)


def require(what, holds, lines):
    if not holds:
        print(*lines, sep="\n")
        sys.exit(f".ci/runner_check.py: {what}")


def check_tries(folder):
    two = [(PACER.format("one"), "passed"), (PACER.format("two"), "failed")]
    alone = events((PACER.format("two"), "passed"))
    lines, status = Bench(folder, events(*two), "1", alone).run()
    require("what passes three times is flaky", status == 0 and lines[-1] == "tests: 2 passed, 0 failed"
            and any(line.startswith("FLAKY BrokerClientTests.PacerTests/two()") for line in lines), lines)
    lines, status = Bench(folder, events(*two), "1", alone, "66").run()
    require("what fails once more has failed", status == 1 and lines[-1] == "tests: 1 passed, 1 failed", lines)
    lines, status = Bench(folder, events(*two), "66", alone).run()
    require("a sanitizer's exit code counts beside a flaky test", status == 1 and lines[-1] == "tests: 2 passed, 1 failed", lines)
    lines, status = Bench(folder, events((SENTINEL, "failed")), "1", events((SENTINEL, "passed")), said="after TVE_SEED=7").run()
    require("a test of one winner is not tried again", status == 1 and "(1 of 3)" not in "".join(lines), lines)
    require("the seed of a failed run is shown", "after TVE_SEED=7" in lines, lines)
    lines, status = Bench(folder, events(two[0], (SENTINEL, "skipped"))).run(TVE_ALL_PROGRAMS="1")
    require("a skip for want of a program counts", status == 1 and lines[-1] == "tests: 1 passed, 1 failed", lines)
    lines, status = Bench(folder, events(two[0]), said="measured: a thing: 2.5 ms\nmeasured: a thing: 1 ms").run()
    require("figures are shown", status == 0 and "measured: a thing: at most (of 2) 2.5 ms" in lines, lines)


def check_ends(folder):
    ran = events((PACER.format("one"), "passed"), (PACER.format("two"), "failed"), (PACER.format("three"), "open"), ends=False)
    wanted = ["These tests had not ended:", f"  {PACER.format('three').replace('/Pacer', '  (Pacer')})"]
    for number, times in ((signal.SIGTERM, 2), (signal.SIGKILL, 1)):
        bench = Bench(folder, ran, "never")
        process = bench.start()
        bench.is_running()
        for _ in range(times):
            process.send_signal(number)
        if number == signal.SIGKILL:
            # Then nothing can end what the program has started.
            [program, server] = bench.started.read_text().split()
            process.wait(PATIENCE)
            wait("the end of the program", lambda: not is_alive(program))
            os.kill(int(server), signal.SIGKILL)
        lines, _ = bench.ended(process)
        if number == signal.SIGTERM:
            require("the open test is named, and each counts once",
                    lines[-3:] == [*wanted, "tests: 1 passed, 2 failed"], lines)
    bench = Bench(folder, events((PACER.format("one"), "failed")), "1", ran, "never")
    process = bench.start()
    bench.is_running()
    process.send_signal(signal.SIGTERM)
    lines, _ = bench.ended(process)
    require("what is tried again is ended, too", wanted[1] in lines and lines[-1] == "tests: 0 passed, 2 failed", lines)

    # A stage at its limit; a run of stages, and of the checks of `make deep`, that a signal ends.
    stages = '. .ci/stages.sh; stage slow 1 1000 .ci/run_tests "$LOG"; finish'
    more = {"TVE_GATE_LOGS": str(bench.folder / "gate"), "LOG": str(bench.folder / "test.log")}
    bench = Bench(folder, ran, "never")
    process = bench.start(["bash", "-euc", stages], **more)
    bench.is_running()
    # The limit is reached when its clock says so.
    timeout = subprocess.run(["pgrep", "-P", str(process.pid), "-x", "timeout"], capture_output=True, text=True, check=True)
    os.kill(int(timeout.stdout), signal.SIGALRM)
    lines, status = bench.ended(process)
    limit = next((place for place, line in enumerate(lines) if line.startswith("FAILED: slow took more than its limit")), len(lines))
    require("the names stand in what is shown of a stage at its limit", status == 1 and wanted[1] in lines[limit:], lines)
    deep = (f"import deep, pathlib, sys; sys.argv = ['deep.py', 'x']; deep.CHECKS = {{'x': (1000, [])}}; "
            f"deep.ROOT = pathlib.Path({folder!r}); deep.main()")
    (bench.folder / ".ci/deep").mkdir(parents=True)
    (bench.folder / ".ci/deep/x").write_text(f"#!/bin/sh\n{HERE}/run_tests {bench.folder}/test.log\n")
    (bench.folder / ".ci/deep/x").chmod(0o755)
    for command in (["bash", "-euc", stages], [sys.executable, "-c", deep]):
        bench = Bench(folder, ran, "never")
        process = bench.start(command, PYTHONPATH=str(HERE), **more)
        bench.is_running()
        process.send_signal(signal.SIGTERM)
        lines, status = bench.ended(process)
        require("what is ended has not passed", status not in (0, None), lines)


def main():
    if sys.platform != "linux":
        return
    with tempfile.TemporaryDirectory() as folder:
        check_tries(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_ends(folder)
    print("tests, stages and checks end what they have started, and count right")


if __name__ == "__main__":
    main()
