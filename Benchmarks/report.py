#!/usr/bin/env python3
"""Writes the table and the chart of everything that run.sh measured.

    python3 Benchmarks/report.py MEASURED FOLDER

MEASURED is the folder in which run.sh keeps what the programs said; FOLDER gets results.md and ratios.svg.
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

OURS = "verify: {} bits, plain, short resource"
JAVA = "Java: Signature and a DOM parse, whole token, 2048 bits"
CHART = [
    ("Java 17: Signature, DOM parse, whole token", JAVA),
    ("jwt-kit: whole RS256 token", "jwt-kit: whole RS256 token, 2048 bits"),
    ("usual EVP_DigestVerify calls, signature only", "usual: EVP_DigestVerifyInit and EVP_DigestVerify, 2048 bits"),
    ("swift-crypto, signature only", "swift-crypto: bare _RSA verify, 2048 bits"),
    ("this package: whole token, Base64, MRSS", "verify: 2048 bits, Base64, MRSS resource"),
    ("this package: whole token, Base64", "verify: 2048 bits, Base64, short resource"),
    ("this package: whole token", OURS.format(2048)),
    ("this package: a forged token", "refuse: bad_signature, a bit flipped"),
    ("this package: a malformed token", "refuse: malformed, first byte missing"),
]
AT_ONCE = "ClientCalls --at-once 32"
# What each program said, by its command line.
PROGRAMS = {"ClientCalls": "ClientCalls", AT_ONCE: "ClientCallsAtOnce", "RecordChanges": "RecordChanges",
            "SimulatedDecisions": "SimulatedDecisions"}


def machine():
    """Model and core count, and nothing else about the machine."""
    said = json.loads(subprocess.check_output(["lscpu", "--json"]))
    fields = {field["field"]: field["data"] for field in said["lscpu"]}
    return f"{fields.get('Model name:', 'unknown processor')}, {fields['CPU(s):']} cores"


def version(command):
    return subprocess.check_output(command, text=True, stderr=subprocess.STDOUT).splitlines()[0].strip()


def is_met(value, wanted):
    sign, limit = wanted.split()
    return value <= float(limit) if sign == "≤" else value >= float(limit)


def questions(operations, processes, cores):
    """Rows of the table: question, limit, aim, measured value and note."""
    def ratio(name):
        return operations[name]["ratioToFloor"]

    ours = ratio(OURS.format(2048))
    one, every = (operations[f"batch: 1024 tokens, 2048 bits, {name}"] for name in ("one core", "all cores"))
    verify, decrypt, process = (processes[name] for name in ("batch_verify", "batch_decrypt", "process"))
    rows = [
        ("whole RSA-2048 token ÷ floor", "≤ 1.05", "≤ 0.95", ours, ""),
        ("whole RSA-1024 token ÷ floor", "≤ 1.20", "≤ 1.00", ratio(OURS.format(1024)), ""),
        ("jwt-kit whole token ÷ ours", "≥ 3", "≥ 3.5", ratio("jwt-kit: whole RS256 token, 2048 bits") / ours, ""),
        ("Java whole token ÷ ours", "≥ 4", "≥ 4.7", ratio(JAVA) / ours if JAVA in operations else None, ""),
        ("swift-crypto's bare verify ÷ our whole token", "≥ 0.9", "≥ 1.0",
         ratio("swift-crypto: bare _RSA verify, 2048 bits") / ours, ""),
        (f"{cores} threads ÷ one", f"≥ {0.95 * cores:g}", f"≥ {0.985 * cores:g}",
         cores * one["microseconds"] / every["microseconds"],
         f"by the clock {one['clockMicroseconds'] / every['clockMicroseconds']:.2f}"),
        ("Swift-side allocations of a successful verification", "≤ 8", "≤ 6", processes["allocations"], ""),
        ("a malformed token ÷ floor", "≤ 0.15", "≤ 0.05", ratio("refuse: malformed, first byte missing"), ""),
        ("in-memory redemption, µs", "≤ 1", "≤ 0.5",
         operations["redeem: in memory, beside a million live redemptions"]["microseconds"], ""),
        (f"batch decrypt on {cores} cores ÷ ({cores} × bare decrypt loop)", "≥ 0.95", "≥ 0.98",
         decrypt["processor"], f"by the clock {decrypt['clock']:.2f}"),
        (f"`tve verify --batch` on {cores} cores ÷ ({cores} × the floor's rate)", "≥ 0.6", "≥ 0.8",
         verify["processor"], f"by the clock {verify['clock']:.2f}"),
        ("one `tve verify` process ÷ `openssl dgst -verify`, by the clock", "≤ 2", "≤ 1.2", process["ratio"],
         f"{process['ours_ms']:.1f} and {process['openssl_ms']:.1f} ms; by processor time "
         f"{process['processor_ratio']:.2f}"),
    ]
    return rows


def found(text, pattern):
    return float(re.search(pattern, text, re.DOTALL).group(1))


def broker_questions(said):
    """Rows of the table about the broker's client, its records and the simulated broker, from what their programs said."""
    def call(program):
        return found(said[program], r"Caller\.authorize: [\d.]+ µs, ÷ bare ([\d.]+)")

    def changes(mode, tasks, what):
        bare = rf"{mode}, \d+ bytes, {tasks} at once:.*?bare transaction:[^\n]*?"
        return found(said["RecordChanges"], bare + what)

    def changes_row(what, mode, must, aim):
        clock, processor = r"([\d.]+) by the clock", r"ratio ([\d.]+) of processor time"
        return (what, must, aim, changes(mode, 64, clock),
                f"one at a time {changes(mode, 1, clock):.2f}, and {changes(mode, 1, processor):.2f} by processor time")

    own = found(said["ClientCalls"], r"bare [^\n]*, then [^\n]*: [\d.]+ µs, ÷ bare ([\d.]+)")
    return [
        ("one client call with an answer of 2 KiB ÷ a bare async-http-client call, one at a time", "≤ 1.3", "≤ 1.2",
         call("ClientCalls"), f"32 at once: {call(AT_ONCE):.2f}; a bare call and then the client's own part: {own:.2f}"),
        changes_row(
            "device records changed each second, 64 at once, ÷ bare SQLite transactions, FULL", "FULL", "≥ 0.8", "≥ 0.9"),
        changes_row("the same, NORMAL", "NORMAL", "≥ 0.5", "≥ 0.6"),
        ("one simulated decision ÷ one RSA-2048 signature", "≤ 2", "≤ 1.45",
         found(said["SimulatedDecisions"], r"ratio ([\d.]+)"), ""),
    ]


def table(rows):
    lines = ["| | must | aim | measured | |", "|---|---|---|---|---|"]
    for name, must, aim, value, note in rows:
        if value is None:
            lines.append(f"| {name} | {must} | {aim} | not measured | |")
            continue
        mark = "aim" if is_met(value, aim) else "must" if is_met(value, must) else "**missed**"
        lines.append(f"| {name} | {must} | {aim} | {value:.3g} ({mark}) | {note} |")
    return lines


def write_table(path, comparison, processes, suite, said):
    operations = {operation["name"]: operation for operation in comparison["operations"]}
    # The time by the clock beyond processor time was spent waiting for other programs.
    waiting = statistics.median(operation["clockMicroseconds"] / operation["microseconds"]
                                for operation in comparison["operations"] if operation["name"] != JAVA)
    lines = [
        "# What was measured", "",
        f"On {machine()}, " + ("which did nothing else" if waiting < 1.05 else
                               f"**which other programs kept busy** (the clock ran {waiting:.1f} times as long)") + ";",
        f"{version(['swift', '--version'])}; {' '.join(version(['openssl', 'version']).split()[:2])}. Written by",
        "`Benchmarks/run.sh`; other machines give other numbers.", "",
        "The *floor* is SHA-256 and `EVP_PKEY_verify` in C, the digest fetched and the context prepared beforehand, the",
        "signature decoded. All operations take turns in one process with the same key and bytes; a figure is the median",
        f"of {comparison['rounds']} rounds, in processor time, so that other work on the machine counts less.", "",
        *table(questions(operations, processes, comparison["cores"])), "",
        "## The broker's client, its records, and the simulated broker", "",
        "Each program takes turns between the two that it compares; a figure is the median of the ratios of its rounds, in",
        "processor time, but by the clock for records changed each second.", "", *table(broker_questions(said)), "",
        *(line for program, text in said.items() for line in ("```text", f"$ {program}", *text.splitlines(), "```", "")),
        "## Each operation",
    ]
    lines += ["", "| operation | µs | p10 – p90 | ÷ floor | µs in the suite (clock) |", "|---|---|---|---|---|"]
    for operation in comparison["operations"]:
        ratio = operation.get("ratioToFloor")
        in_suite = suite.get(operation["name"].replace(" ", "_"))
        # If one operation is too short for the clock, the suite's benchmark runs a thousand.
        scale = 1 if operation["isLong"] else 1000
        lines.append(
            f"| {operation['name']} | {operation['microseconds']:.2f} | {operation['p10']:.2f} – {operation['p90']:.2f} "
            f"| {f'{ratio:.3f}' if ratio else '–'} | {f'{in_suite / scale:.2f}' if in_suite else '–'} |")
    path.write_text("\n".join(lines) + "\n")


def draw(path, operations):
    shown = [(label, operations[name]["ratioToFloor"]) for label, name in CHART if name in operations]
    # The same figures make the same file.
    matplotlib.rcParams["svg.hashsalt"] = "ratios"
    matplotlib.rcParams["svg.fonttype"] = "none"
    figure, axes = pyplot.subplots(figsize=(9, 0.45 * len(shown) + 1.5), layout="constrained")
    labels, ratios = zip(*shown)
    colours = ["#1f6feb" if label.startswith("this package") else "#9aa4af" for label in labels]
    bars = axes.barh(labels, ratios, color=colours)
    axes.bar_label(bars, fmt="%.2f", padding=3, bbox={"color": "white", "pad": 1})
    axes.axvline(1, color="#24292f", linewidth=1, linestyle="--", zorder=0)
    axes.set_xlabel("processor time ÷ that of SHA-256 and EVP_PKEY_verify in C (dashed)\nRSA-2048; shorter is faster")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.08)
    figure.savefig(path, metadata={"Date": None})


def main():
    measured, folder = map(pathlib.Path, sys.argv[1:3])
    comparison, processes, suite = (
        json.loads((measured / name).read_text()) for name in ("comparison.json", "processes.json", "Current_run.jmh.json"))
    said = {command: (measured / f"{name}.txt").read_text() for command, name in PROGRAMS.items()}
    folder.mkdir(parents=True, exist_ok=True)
    medians = {element["benchmark"].split(".", 3)[3]: list(element["secondaryMetrics"].values())[0]
               ["scorePercentiles"]["50.0"] for element in suite}
    write_table(folder / "results.md", comparison, processes, medians, said)
    draw(folder / "ratios.svg", {operation["name"]: operation for operation in comparison["operations"]})


if __name__ == "__main__":
    main()
