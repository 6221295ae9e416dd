# Runs the stages of a check one after the other, each with a limit, and tells at the end what failed. Sourced by .ci/run.
#
#     stage NAME SECONDS LIMIT COMMAND ...
#
# SECONDS is what the stage usually takes, and LIMIT what it may take. A stage that fails is noted, and the next ones still
# run; `needs NAME` skips what follows if that stage has failed. What a stage starts is ended with it: it gets SIGTERM, so that
# .ci/run_tests ends the tests and says which they were, and half a minute later SIGKILL. Instead of `stage`, `begin` starts
# one that goes on beside the next ones, until `await NAME`.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

# SwiftPM and pip keep their caches in the home folder, and some runners have none.
if [ -z "${HOME:-}" ]; then
    mkdir -p .build/home
    export HOME=$PWD/.build/home
fi
# A crash ends at once, without a search for its place that may hang; and traits keep their order, see the Makefile.
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
# Debian installs nginx in a folder that only root has in its PATH.
export PATH=$PATH:/usr/sbin
# One build for everything: all traits, and warnings are errors. It is not for a debugger.
export TVE_TRAITS=CLI,Redis,Service
export TVE_BUILD_FLAGS='-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error -debug-info-format none'
# The modules of the stage `service`; the stage `units` tests the others.
export TVE_SERVED='^(TVEService|BrokerClient|BrokerSimulation|EntitlementFlows)Tests'
# The stage `install` makes it, with the packages that vectors and checks need.
export PYTHON=$PWD/.build/venv/bin/python

DEADLINE=${TVE_GATE_SECONDS:-4500}
stages=${TVE_GATE_LOGS:-.build/gate}
mkdir -p "$stages"
declare -A sessions clocks usuals limits told starts
known=() ran=() broken=() skipped=() times=() usual_so_far=0 taken_so_far=0
wanted=("$@") missing='' out_of_time=''

# How many times longer than usual the stages have taken so far, in tenths.
slowness() { echo $((usual_so_far > 20 && taken_so_far > usual_so_far ? 10 * taken_so_far / usual_so_far : 10)); }

# With `.ci/run NAME ...`, only these stages run.
is_wanted() {
    [ ${#wanted[@]} -eq 0 ] && return
    local name
    for name in "${wanted[@]}"; do [ "$name" != "$1" ] || return 0; done
    return 1
}

needs() {
    local name
    for name in "${broken[@]}"; do [ "$name" != "$1" ] || missing=$1; done
}

# Ends every process of a session; those that are left some seconds after a stage are named.
end_session() {
    local left
    for _ in {1..30}; do
        # A zombie has ended. Where the first process of a container collects none, it stays.
        left=$(ps -o stat=,pid=,args= --sid "$1" 2>/dev/null | grep -v '^Z') || return 0
        sleep 1
    done
    printf 'FAILED: still running after the stage:\n%s\n' "$left"
    pkill -KILL -s "$1" || true
    return 1
}

# Starts a stage; `await NAME` ends it. What stands between them runs beside it.
begin() {
    local name=$1 usual=$2 limit=$3 left needed
    shift 3
    known+=("$name")
    is_wanted "$name" || return 0
    if [ -n "$missing" ]; then
        skipped+=("$name: not run, since $missing failed")
        return 0
    fi
    if [ -n "$out_of_time" ]; then
        skipped+=("$name: not run, since there was no time left for $out_of_time")
        return 0
    fi
    left=$((DEADLINE - SECONDS))
    needed=$((usual * $(slowness) / 10))
    if [ "$needed" -gt "$left" ]; then
        broken+=("$name")
        skipped+=("$name: out of time: it takes about $needed s here, and $left of $DEADLINE s are left; \
this machine takes $(slowness) tenths of the usual time")
        out_of_time=$name
        return 0
    fi
    told[$name]="its limit of $limit s"
    [ "$limit" -le "$left" ] || limit=$left told[$name]="the $left s that were left for it"
    ran+=("$name")
    # The log is a file, so that no process that is left behind keeps a pipe open.
    : >"$stages/$name.log"
    # Not the leader of a group, so that setsid makes no other process: the session has the number of this one.
    setsid timeout -k 30 "$limit" "$@" >"$stages/$name.log" 2>&1 &
    sessions[$name]=$!
    (tail -s 0.5 -f --pid="${sessions[$name]}" /dev/null; echo "$SECONDS" >"$stages/$name.end") &
    clocks[$name]=$! usuals[$name]=$usual limits[$name]=$limit starts[$name]=$SECONDS
}

# Shows the output of a stage until it ends, and notes how it went.
await() {
    local name=$1 status=0 log=$stages/$1.log process=${sessions[$1]:-} shown seconds left
    [ -n "$process" ] || return 0
    printf '\n== %s\n' "$name"
    tail -n +1 -s 0.2 -f --pid="$process" "$log" &
    shown=$!
    wait "$process" 2>/dev/null || status=$?
    wait "$shown" "${clocks[$name]}" || true
    seconds=$(($(cat "$stages/$name.end") - starts[$name]))
    # What was ended says what it was doing, before the end of its log is shown.
    left=$(end_session "$process") || true
    # With 137, something was killed: at the limit, or by the system, for want of memory.
    if [ "$status" -eq 124 ] || { [ "$status" -eq 137 ] && [ "$seconds" -ge "${limits[$name]}" ]; }; then
        printf 'FAILED: %s took more than %s. The end of its log:\n' "$name" "${told[$name]}"
        tail -n 60 "$log"
    elif [ "$status" -ne 0 ]; then
        echo "FAILED: $name (exit code $status)"
    fi
    [ -z "$left" ] || { echo "$left" && status=1; }
    unset "sessions[$name]"
    [ "$status" -eq 0 ] || broken+=("$name")
    usual_so_far=$((usual_so_far + usuals[$name])) taken_so_far=$((taken_so_far + seconds))
    times+=("$(printf '%-9s %5s s (usually %s, at most %s)' "$name" "$seconds" "${usuals[$name]}" "${limits[$name]}")")
    echo "-- $seconds s"
}

stage() { begin "$@" && await "$1"; }

# A signal that ends the whole run ends its stages, too.
end_all() {
    local process
    trap '' INT TERM
    for process in "${sessions[@]}"; do pkill -TERM -s "$process" || true; done
    for process in "${sessions[@]}"; do end_session "$process" || true; done
    exit 1
}
trap end_all INT TERM

# Tells how all stages went; the last line has the number of tests of all of them.
finish() {
    local status=0 passed=0 failed=0 name good bad
    for name in "${wanted[@]}"; do
        [[ " ${known[*]} " == *" $name "* ]] || broken+=("$name (there is no such stage; there are: ${known[*]})")
    done
    echo
    printf '%s\n' "${times[@]}"
    for name in "${ran[@]}"; do
        while read -r good bad; do
            passed=$((passed + good)) failed=$((failed + bad))
        done < <(sed -n 's/^tests: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$stages/$name.log")
        grep -h '^FLAKY ' "$stages/$name.log" || true
    done
    [ ${#skipped[@]} -eq 0 ] || printf '%s\n' "${skipped[@]}"
    if [ ${#broken[@]} -gt 0 ]; then
        status=1
        printf 'FAILED: %s\n' "${broken[@]}"
        [ "$failed" -gt 0 ] || failed=${#broken[@]}
    fi
    echo "all stages: $SECONDS s"
    echo "$passed passed, $failed failed"
    exit "$status"
}
