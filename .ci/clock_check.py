"""Finds tests that could decide by a clock or by a memory size: sleeps, clocks of the machine, time limits, comparisons of
lengths of time, and what a process takes.

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
    # Names that such a length often has.
    r"#(expect|require)\(.*\b(time|times|elapsed|waited|took|duration)\b\s*[<>]=?\s",
    # The machine's clocks, and waits of a thread, by other names.
    r"\bDate(\(\)|\.now\b)", r"\bTimestamp\.now\b.*\s[<>]=?\s", r"\s[<>]=?\s.*\bTimestamp\.now\b", r"\bTimestamp\.now\.since\(",
    r"\bTimeSource\.system\.uptime\b", r"\bDispatchTime\b", r"\basyncAfter\b", r"\bwait\(timeout:", r"(?<![.\w])(?<!func )sleep\(",
    # What a process takes of processor and memory.
    r"\bprocessorTime\b", r"\bthreadProcessorNanoseconds\b", r"VmHWM|VmRSS|/statm\b", r"\bresidentBytes\b",
]
CLOCK = re.compile("|".join(PATTERNS))
# The words of `TimeSource` and `Timestamp`, which tests move by hand.
MOVED = re.compile(r"(?<!Timestamp\.now)\.since\(|\btime\.sleep\(until")
# Where tests are, and what only tests use.
FOLDERS = ["Tests", "Sources/Core/TVETesting"]
# File, in Tests unless it says otherwise, how many lines of it may match, and why.
REASONS = {
    "TestVectors/Waiting.swift": (5, "the one way to wait: pauses between two looks, and the end of patience"),
    "TestVectors/ProcessorTime.swift": (4, "measures for make deep"),
    "TVEServiceTests/Waiting.swift": (1, "ends an operation that never ends"),
    "Sources/Core/TVETesting/SkippingClock.swift": (2, "a clock of tests; a pause between two looks at who sleeps"),
    "BrokerBench/StandingClock.swift": (1, "a clock of tests; pauses between attempts to change a record"),
    "RedisStoresTests/Support/PassingTime.swift": (3, "moves the time of tests on until work has ended"),
    "TVEServiceTests/Gateway/Support/ShiftedTime.swift": (2, "the time of day of the gateway's tests stands while it is asked"),
    # Limits of Redis and SQLite in real time, far above what anything takes.
    "DeviceWorker/DeviceWorker.swift": (1, "uptime of a store whose limit is a minute"),
    "EntitlementFlowsTests/Devices/Support/ReplicaBench.swift": (1, "uptime of a store whose limit is a minute"),
    "RedisStoresTests/Records/RedisRecordStoreTests.swift": (1, "uptime of a store whose limit is a minute"),
    "RedisStoresTests/Replay/RedisServerTests.swift": (1, "uptime of a store whose limit is a minute"),
    # Servers and clients that are slow on purpose: no verdict depends on how slow.
    "TestServers/DelayingProxy.swift": (2, "the distance of a server"),
    "RedisStoresTests/Support/FakeServer.swift": (1, "the pace of a server"),
    "BrokerClientTests/Transport/HostileAnswerTests.swift": (1, "the pace of a server"),
    "BrokerClientTests/Transport/TransportDeadlineTests.swift": (5, "the pace of servers; lengths are compared in make deep"),
    "TVEServiceTests/RawClient.swift": (2, "the pace of a client; the end of patience"),
    "HostSystemTests/FilesTests.swift": (1, "the pace of a writer"),
    # Kills come some time after an event.
    "SQLiteStoresTests/Kills.swift": (1, "a seeded, printed pause after the first answer"),
    # The clocks themselves are tested: one reading lies between two others.
    "HostSystemTests/ProcessTests.swift": (6, "the system's clocks, and that a process takes a mebibyte"),
    "HostSystemTests/ServiceManagerTests.swift": (2, "the system's uptime"),
    "EntitlementValuesTests/TimeSourceTests.swift": (1, "the system's uptime has gone on by at least as much as was slept"),
    "TVEServiceTests/Observation/MetricsTests.swift": (3, "the start of a process; a certificate that has expired for years"),
    "BrokerClientTests/Articles/ArticleCode.swift": (2, "code of an article"),
    # Times that a test moves.
    "BrokerClientTests/Registration/RegistrationTests.swift": (1, "compares readings of a time that the test moves"),
    "BrokerClientTests/Sending/RepeatTests.swift": (4, "compares readings of a time that the test moves"),
    "BrokerClientTests/Pacing/PacerScheduleTests.swift": (1, "compares lengths of a time that the test moves"),
    # What ends minutes or hours from now has not ended yet.
    "BrokerSimulationTests/Tool/EntitlementToolTests.swift": (1, "a profile has not ended"),
    "BrokerSimulationTests/Tool/LoginToolTests.swift": (2, "a slow machine allows more questions, not fewer; a profile has not ended"),
    "TVEServiceTests/AuthzTests.swift": (1, "a token has not expired"),
    "TVEServiceTests/SessionLifeTests.swift": (1, "a revocation has not ended"),
    "tveTests/DoctorTests.swift": (1, "clocks that differ by an hour, or by five minutes that a slow machine makes more"),
    # Only with TVE_DEEP, or on request.
    "BrokerClientTests/Servers/Calling.swift": (3, "measures for make deep"),
    "BrokerClientTests/Transport/LeakTests.swift": (4, "make deep: memory of a process"),
    "BrokerClientTests/Transport/ConnectionTests.swift": (5, "make deep: the age of connections by the real clock"),
    "BrokerSimulationTests/Walks/DecisionCostTests.swift": (2, "measures for make deep"),
    "SQLiteStoresTests/Ledgers/LedgerStoreFigures.swift": (7, "figures, on request"),
    "TVEServiceTests/Attacks/HTTPAttacks+SlowClients.swift": (1, "make deep: slow clients by the real clock"),
    "TVEServiceTests/Observation/ConnectionLimitTests.swift": (4, "make deep: processor time at rest"),
    "TVEServiceTests/ServeProcess.swift": (1, "make deep: processor time at rest"),
    "MediaTokensTests/LongTokenTests.swift": (1, "measures for make deep"),
    "tveTests/DecryptRunTests.swift": (1, "make deep: memory of a process"),
    "MetadataDecryptionTests/Measuring.swift": (3, "figures, on request"),
    "MetadataDecryptionTests/SpeedTests.swift": (2, "figures, on request"),
    "TokenLifetimesTests/LedgerFigures.swift": (1, "figures, on request"),
}


def main():
    found = {}
    for file in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.swift")):
        lines = [number for number, line in enumerate(file.read_text().splitlines(), 1)
                 if CLOCK.search(line) and not MOVED.search(line) and not line.lstrip().startswith("//")]
        if lines:
            found[re.sub("^Tests/[^/]*/", "", str(file.relative_to(ROOT)))] = lines
    faults = []
    for name in sorted(found.keys() | REASONS.keys()):
        lines, (allowed, _) = found.get(name, []), REASONS.get(name, (0, ""))
        if len(lines) > allowed:
            faults.append(f"{name}: lines {', '.join(map(str, lines))} sleep, or look at a clock; {allowed} of them may. "
                          "Wait for a condition, or move a TimeSource (CONTRIBUTING.md).")
        elif len(lines) < allowed:
            faults.append(f".ci/clock_check.py: {name} needs only {len(lines)} of its {allowed} lines.")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(REASONS)} files of tests may look at a clock, {sum(allowed for allowed, _ in REASONS.values())} lines in all")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
