# What the scripts of `make deep` share. Sourced by them; they run in the root of the project.
set -euo pipefail
# Spark, and what it needs, is much to download.
TRY_SECONDS=900
. .ci/install.sh
.ci/prepare
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
# Debian installs nginx in a folder that only root has in its PATH.
export PATH=$PATH:/usr/sbin
strict='-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error'

# The release build with all traits, and its tests: sets `released` to its folder, and `release` to its options.
build_released() {
    # shellcheck disable=SC2206 # lists of words
    release=(-c release --traits CLI,Redis,Service $strict)
    swift build --quiet "${release[@]}" --build-tests >&2
    released=$(swift build --quiet "${release[@]}" --show-bin-path)
}

# What the tests start and read; one that is skipped all the same, because a program is not installed, has failed.
needs_test_programs() {
    local package
    for package in redis-server:redis-server openssl:openssl openssh-client:ssh-keygen; do
        needs_program "${package#*:}" "${package%:*}"
    done
    export TVE_ALL_PROGRAMS=1
    if [ -d ../shared/wycheproof ]; then
        TVE_WYCHEPROOF=$(cd ../shared/wycheproof && pwd)
        export TVE_WYCHEPROOF
    fi
}

# Python with the pinned packages of a file in .ci/requirements: sets `python`.
use_python() {
    local folder=.build/python-$1
    if ! cmp -s ".ci/requirements/$1.txt" "$folder/complete"; then
        python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
        python3 -m venv "$folder"
        try_three_times "$folder/bin/python" -m pip install --quiet --require-hashes -r ".ci/requirements/$1.txt"
        cp ".ci/requirements/$1.txt" "$folder/complete"
    fi
    python=$PWD/$folder/bin/python
}

# The tool as `make release` builds it, without its server: sets `tool`.
build_tool() {
    make --no-print-directory release
    tool=.build/tool/release/tve
}
