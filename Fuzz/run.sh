#!/usr/bin/env bash
# usage: Fuzz/run.sh TARGET [SECONDS] [libFuzzer options...]
#
# Builds one fuzz target with libFuzzer and AddressSanitizer and runs it on seeds made from the vectors; 0 seconds are no limit.
# Keeps what it finds in .build/fuzz/corpus/TARGET, or in TARGET of the folder TVE_CORPUS, and inputs that fail in
# .build/fuzz/artifacts/TARGET. To run one of them again: .build/fuzz/release/TARGET FILE
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?usage: Fuzz/run.sh TARGET [SECONDS] [libFuzzer options...]}
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))

scratch=.build/fuzz
export TVE_FUZZ=1
# Both sanitizers are named in one -sanitize, because SwiftPM silently drops one of two --sanitize options. SwiftPM's
# own --sanitize=fuzzer stays, because it leaves `main` to libFuzzer.
# shellcheck disable=SC2086 # BUILD_FLAGS is a list of words.
swift build ${BUILD_FLAGS:-} --quiet --scratch-path "$scratch" -c release --sanitize=fuzzer \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld --product "$target" >&2
products=$(swift build --quiet --scratch-path "$scratch" -c release --show-bin-path)

# A build without instrumentation would find nothing without an error, so check the library for both sanitizers.
symbols=$(nm "$products"/TextCodecs.build/*.o)
for symbol in __asan_init __sanitizer_cov_8bit_counters_init; do
    if ! grep -q "U $symbol\$" <<<"$symbols"; then
        echo "Fuzz/run.sh: TextCodecs was built without $symbol" >&2
        exit 1
    fi
done

corpus=${TVE_CORPUS:-$scratch/corpus}/$target
artifacts=$scratch/artifacts/$target
mkdir -p "$corpus" "$artifacts"
# All targets share them; TVE_KEEP_SEEDS takes those of the run before.
if [ -z "${TVE_KEEP_SEEDS:-}" ] || [ ! -d "$scratch/seeds/$target" ]; then
    rm -rf "$scratch/seeds"
    "${PYTHON:-python3}" Fuzz/make_seeds.py "$scratch/seeds" >&2
fi

# Under libFuzzer, a Swift trap hangs in the backtracer, so that is off. Leaks of C objects are searched once, at the
# end: searching after each input, as libFuzzer does by default, leaves time for only a tenth of the inputs.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:quarantine_size_mb=16}
log=$scratch/$target.log
status=0
"$products/$target" -max_len=4096 -timeout=60 -rss_limit_mb=1024 -detect_leaks=0 -max_total_time="$seconds" \
    -dict=Fuzz/tokens.dict -print_final_stats=1 -artifact_prefix="$artifacts/" "$@" "$corpus" "$scratch/seeds/$target" \
    >"$log" 2>&1 || status=$?

if [ "$status" -ne 0 ]; then
    tail -n 60 "$log"
    echo "$target: FAILED, see $log and $artifacts"
    exit "$status"
fi
# The line INITED has the coverage of the seeds and of earlier runs; the last line with "cov" has the final coverage.
first=$(grep -m 1 'INITED' "$log" | grep -o 'cov: [0-9]*' || true)
last=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
echo "$target: $executions executions, $rate/s, ${first:-cov: ?} at the start, ${last:-cov: ?} at the end"
