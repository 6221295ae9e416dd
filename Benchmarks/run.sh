#!/usr/bin/env bash
# Measures everything, and writes results/results.md and results/ratios.svg beside this script. Takes about 30 minutes,
# with the first builds. Run it on a machine that does nothing else.
#
# Needs valgrind. Measures Java if it is installed (JDK 17). Installs the library that draws the chart into .build.
set -euo pipefail
cd "$(dirname "$0")/.."

ROUNDS=${ROUNDS:-41}
scratch=$PWD/.build/benchmarks
results=$scratch/results
package=(--package-path Benchmarks --scratch-path "$scratch")
mkdir -p "$results"

say() { echo "$*" >&2; }

command -v valgrind >/dev/null || { say 'valgrind is missing: apt-get install valgrind' && exit 1; }
python=$PWD/.build/benchmarks-venv/bin/python
if ! "$python" -c 'import matplotlib, cryptography' 2>/dev/null; then
    say 'Installing the library that draws the chart ...'
    python3 -m venv .build/benchmarks-venv
    "$python" -m pip install --quiet --require-hashes -r .ci/requirements/benchmarks.txt
fi

say 'Building ...'
# The tool as it is installed, because a short process spends much of its time loading libraries.
make --no-print-directory release
tve=.build/tool/release/tve
swift build -c release --quiet --product VerificationWork >&2
# SwiftPM finds new files of the package above only if this manifest has changed.
touch Benchmarks/Package.swift
broker=(ClientCalls RecordChanges SimulatedDecisions)
for product in Comparison "${broker[@]}"; do swift build -c release "${package[@]}" --quiet --product "$product" >&2; done
released=$(swift build -c release --show-bin-path)
benchmarks=$(swift build -c release "${package[@]}" --show-bin-path)
comparison=$benchmarks/Comparison

say 'Comparing in turns ...'
java=()
if command -v java >/dev/null; then java=(--java Benchmarks/Java/VerifyToken.java); else say 'java is not installed: its row is left out'; fi
"$comparison" --rounds "$ROUNDS" "${java[@]}" >"$results/comparison.json"

say 'Comparing processes ...'
"$python" Benchmarks/process_ratios.py "$tve" "$comparison" "$released/VerificationWork" >"$results/processes.json"

say 'Calling, changing records, deciding ...'
for program in "${broker[@]}"; do "$benchmarks/$program" >"$results/$program.txt"; done
"$benchmarks/ClientCalls" --at-once 32 >"$results/ClientCallsAtOnce.txt"

say 'Running the suite ...'
swift package "${package[@]}" --allow-writing-to-directory "$results" benchmark --target Operations \
    --format jmh --path "$results" --no-progress >"$results/suite.log" 2>&1 || { cat "$results/suite.log" >&2 && exit 1; }

"$python" Benchmarks/report.py "$results" Benchmarks/results
say 'Wrote Benchmarks/results/results.md and Benchmarks/results/ratios.svg'
