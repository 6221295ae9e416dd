# What the scripts of `make deep` share. Sourced by them; they run in the root of the project.
set -euo pipefail
. .ci/install.sh
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
# Debian installs nginx in a folder that only root has in its PATH.
export PATH=$PATH:/usr/sbin
# Tests that measure or take long run, too.
export TVE_DEEP=1
strict='-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error'

# The release build with all traits, and its tests: sets `released` to its folder, and `release` to its options.
build_released() {
    export TVE_TESTABLE=1
    # shellcheck disable=SC2206 # lists of words
    release=(-c release --traits CLI,Redis,Service $strict)
    swift build --quiet "${release[@]}" --build-tests >&2
    released=$(swift build --quiet "${release[@]}" --show-bin-path)
    unset TVE_TESTABLE
}

# Python with the pinned packages of a file in .ci/requirements: sets `python`.
use_python() {
    local folder=.build/python-$1
    if [ ! -f "$folder/complete" ]; then
        python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
        python3 -m venv "$folder"
        try_three_times "$folder/bin/python" -m pip install --quiet --require-hashes -r ".ci/requirements/$1.txt"
        touch "$folder/complete"
    fi
    python=$PWD/$folder/bin/python
}

# The tool as the README builds it, without its server: sets `tool`.
build_tool() {
    make --no-print-directory release
    tool=.build/tool/release/tve
}
