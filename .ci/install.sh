# Installs what checks need. Sourced by their scripts.

# A download may fail once for no reason of ours.
try_three_times() {
    local try
    for try in 1 2 3; do
        timeout -k 10 120 "$@" && return
        echo "failed ($try of 3): $*"
        sleep 2
    done
    return 1
}

# Installs Debian packages, which only root can do.
install_packages() {
    [ "$(id -u)" -eq 0 ] || { echo "Install $*." && return 1; }
    if [ -z "${has_lists:-}" ]; then
        try_three_times apt-get update -qq >/dev/null
        has_lists=1
    fi
    DEBIAN_FRONTEND=noninteractive try_three_times apt-get install -y -qq "$@" >/dev/null
}

# needs_program PROGRAM PACKAGE: installs the package, or what apt-get reads as such, if there is no such program.
# shellcheck disable=SC2086 # options and a package
needs_program() { command -v "$1" >/dev/null || install_packages $2; }
