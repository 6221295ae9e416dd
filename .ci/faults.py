#!/usr/bin/env python3
"""Breaks what `tve serve` stands on, while tokens are played at it: processes, Redis, network, disk, clock, limits, files.

    python3 .ci/faults.py PATH-OF-TVE [--short] [--only NAME…] [--list] [--jobs N]

Throughout it counts tokens that passed twice, bad tokens that passed, requests without an answer, and the time until all
is well again, and compares them with what the documents promise. Exits with 1 if one fault did more than that.
Needs redis-server, redis-cli, nginx and clang, and what service_check.py needs. Everything listens on loopback.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback

# In the order of the table.
from faults import control, replicas, servers, persistence, failover, networks, disks, clocks, limits, files  # noqa: F401
from faults.case import CASES, Skipped
from faults.stage import Stage
from faults.supply import Supply
from service_check import Program


class Result:
    """What one case has found."""

    def __init__(self, case):
        self.case, self.verdict, self.reason, self.seconds = case, "running", "", 0
        self.tokens = self.twice = self.documented = self.bad = self.lost = 0
        self.recovery, self.notes, self.logs = None, [], []
        self.is_unsafe = False

    def run(self, tve, folder, supply, is_short):
        began = time.monotonic()
        stage = Stage(tve, pathlib.Path(tempfile.mkdtemp(prefix=f"{self.case.name}-", dir=folder)), supply, is_short)
        try:
            self.case.body(stage)
            for plays in stage.plays:
                plays.stop()
                plays.check()
            self.verdict = "ok"
        except Skipped as reason:
            self.verdict, self.reason = "skipped", str(reason)
        except AssertionError as error:
            self.verdict, self.reason = "MISSED", str(error) or traceback.format_exc(limit=-2)
        except Exception:
            self.verdict, self.reason = "MISSED", traceback.format_exc(limit=-3)
        for plays in stage.plays:
            plays.ending.set()
        stage.close()
        for plays in stage.plays:
            self.tokens += len(plays.offered)
            self.twice += len(plays.twice)
            self.documented += len(plays.twice & plays.documented)
            self.bad += len(plays.bad_passed)
            self.lost += len(plays.lost)
        surplus = sum(len(plays.surplus) for plays in stage.plays)
        self.is_unsafe = surplus > 0 or self.bad > 0
        if self.verdict == "MISSED" and self.is_unsafe:
            self.reason = f"{surplus} tokens passed twice, {self.bad} bad ones passed; {self.reason}"
        self.recovery, self.notes, self.seconds = stage.recovery, stage.notes, time.monotonic() - began
        if self.verdict == "MISSED":
            self.logs = [(log.name, log.read_text(errors="replace").splitlines()[-12:])
                         for log in sorted(stage.folder.glob("**/*.log"))]
        return self

    @property
    def row(self):
        # What the documents allow has a mark.
        twice = f"{self.twice}*" if self.twice and self.twice == self.documented else str(self.twice)
        back = "" if self.recovery is None else f"{self.recovery:.1f}"
        seen = "; ".join(self.notes) if self.verdict == "ok" else self.reason.strip().splitlines()[-1]
        return [self.case.name, self.verdict, self.tokens, twice, self.bad, self.lost, back, f"{self.seconds:.0f}", seen]


class Progress:
    """One line of a terminal that says how far it is; nothing in a pipe."""

    def __init__(self, count):
        self.count, self.done, self.running, self.lock = count, 0, [], threading.Lock()
        self.is_shown = sys.stderr.isatty()

    def change(self, begun=None, ended=None):
        with self.lock:
            if begun:
                self.running.append(begun)
            if ended:
                self.running.remove(ended)
                self.done += 1
            if self.is_shown:
                width = shutil.get_terminal_size().columns - 1
                text = f"{self.done} of {self.count}: {', '.join(self.running)}"
                print(f"\r\x1b[K{text[:width]}", end="" if self.running else "\r\x1b[K", file=sys.stderr, flush=True)


def print_table(results):
    titles = ["fault", "result", "tokens", "twice", "bad", "lost", "well s", "took s", "what was seen"]
    rows = [titles] + [[str(cell) for cell in result.row] for result in results]
    widths = [max(len(row[column]) for row in rows) for column in range(len(titles) - 1)]
    # A terminal shows as much as fits into its lines; a file has all of it.
    room = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths) if sys.stdout.isatty() else None
    for row in rows:
        cells = [cell.ljust(size) if column < 2 else cell.rjust(size)
                 for column, (cell, size) in enumerate(zip(row, widths))]
        seen = row[-1] if room is None or len(row[-1]) <= room else row[-1][: max(room - 1, 0)] + "…"
        print("  ".join([*cells, seen]).rstrip())


def report(results, seconds):
    print_table(results)
    print("twice: tokens that passed twice (*: exactly those of which the documents say so)",
          "bad: bad tokens that passed; lost: requests without an answer",
          "well: from the end of the fault until all was well", sep="\n")
    missed = [result for result in results if result.verdict == "MISSED"]
    for result in missed:
        print(f"\n{result.case.name}: {result.case.expectation}", result.reason.strip(), sep="\n", file=sys.stderr)
        for name, lines in result.logs:
            print(f"== {name}", *lines, sep="\n", file=sys.stderr)
    total = {name: sum(getattr(result, name) for result in results)
             for name in ("tokens", "twice", "documented", "bad", "lost")}
    skipped = sum(result.verdict == "skipped" for result in results)
    print(f"{len(results)} faults in {seconds:.0f} s, {len(missed)} missed, {skipped} skipped: of {total['tokens']} tokens"
          f" {total['twice'] - total['documented']} passed twice and {total['documented']} as documented;"
          f" {total['bad']} bad ones passed; {total['lost']} requests got no answer")
    return missed


def chosen(options):
    unknown = set(options.only or ()) - set(CASES)
    if unknown:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}; --list names all")
    return [case for case in CASES.values()
            if (case.name in options.only if options.only else case.is_short or not options.short)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tve", nargs="?", help="the tool, built with the traits CLI, Redis and Service")
    parser.add_argument("--short", action="store_true", help="the form that make deep runs: fewer faults, and less time for each")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these faults")
    parser.add_argument("--list", action="store_true", help="name all faults and what is expected, and run none")
    parser.add_argument("--jobs", type=int, default=4, help="how many faults at the same time (4 unless given)")
    options = parser.parse_args()
    cases = chosen(options)
    if options.list:
        widest = max(len(case.name) for case in cases)
        for case in cases:
            print(f"{case.name:{widest}}  {'' if case.is_short else '(long form) '}{case.expectation}")
        return
    if not options.tve:
        parser.error("the path of tve is missing")
    missing = [name for name in ("redis-server", "redis-cli", "nginx", "clang") if not shutil.which(name)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    tve, began, progress = os.path.realpath(options.tve), time.monotonic(), Progress(len(cases))
    if not os.access(tve, os.X_OK):
        sys.exit(f"{options.tve}: not a program")
    said = subprocess.run(
        [tve, "serve", "--check", "--set", "store.address=redis://127.0.0.1"], capture_output=True, text=True).stderr
    if "without the trait" in said:
        sys.exit(said.strip())
    supply = Supply(tve)
    with tempfile.TemporaryDirectory(prefix="tve-faults-") as name:
        def run(case):
            progress.change(begun=case.name)
            try:
                return Result(case).run(tve, pathlib.Path(name), supply, options.short)
            finally:
                progress.change(ended=case.name)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                results = list(pool.map(run, cases))
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                # Ends the faults that are running.
                for program in list(Program.running):
                    program.process.kill()
                sys.exit("stopped")
        # Several at a time, on a busy machine, a fault may miss its time. A token that passed is never forgiven.
        for index, result in enumerate(results):
            if result.verdict == "MISSED" and not result.is_unsafe and options.jobs > 1:
                print(f"once more, alone: {result.case.name}, since {result.reason.strip().splitlines()[-1]}")
                results[index] = run(result.case)
    if report(results, time.monotonic() - began):
        sys.exit(1)


if __name__ == "__main__":
    main()
