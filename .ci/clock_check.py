"""Finds tests that could decide by a clock: sleeps, clocks of the machine, time limits, and comparisons of lengths of time.

    python3 .ci/clock_check.py

A test waits for a condition (`until`), and time in the code is a `TimeSource` that tests move by hand. The few files that
must look at a clock are listed here, each with its reason; a reason that is no longer needed fails, too.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERNS = [
    # Not `func sleep`, and not the sleep of a `TimeSource`.
    r"\b(Task|Thread)\.sleep\b", r"\b(ContinuousClock|SuspendingClock|SystemClock)\b", r"\busleep\(", r"\bnanosleep\(",
    r"\btime\.sleep\b", r"\.timeLimit\(", r"\bsystemUptime\b", r"\bclock_gettime\b",
    # A length of time on one side of a comparison.
    r"[<>]=?\s*\.?(seconds|milliseconds|microseconds|nanoseconds)\(",
]
CLOCK = re.compile("|".join(PATTERNS))
# The words of `TimeSource` and `Timestamp`, which tests move by hand.
MOVED = re.compile(r"\buptime\b|\.since\(|\btime\.sleep\(until")
# File, how many lines of it may match, and why.
REASONS = {
}


def main():
    found = {}
    for file in sorted((ROOT / "Tests").rglob("*.swift")):
        lines = [number for number, line in enumerate(file.read_text().splitlines(), 1)
                 if CLOCK.search(line) and not MOVED.search(line) and not line.lstrip().startswith("//")]
        if lines:
            found[str(file.relative_to(ROOT / "Tests"))] = lines
    faults = []
    for name in sorted(found.keys() | REASONS.keys()):
        lines, (allowed, _) = found.get(name, []), REASONS.get(name, (0, ""))
        if len(lines) > allowed:
            faults.append(f"Tests/{name}: lines {', '.join(map(str, lines))} sleep, or look at a clock; {allowed} of them may. "
                          "Wait for a condition, or move a TimeSource (CONTRIBUTING.md).")
        elif len(lines) < allowed:
            faults.append(f".ci/clock_check.py: Tests/{name} needs only {len(lines)} of its {allowed} lines.")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(REASONS)} files of tests may look at a clock, {sum(allowed for allowed, _ in REASONS.values())} lines in all")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
