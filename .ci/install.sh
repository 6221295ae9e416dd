# Installs what checks need. Sourced by their scripts.

# A download may fail once for no reason of ours. Each try has TRY_SECONDS.
try_three_times() {
    local try
    for try in 1 2 3; do
        timeout -k 10 "${TRY_SECONDS:-90}" "$@" && return
        # Not where the output goes, which is often nowhere.
        echo "failed ($try of 3): $*" >&2
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
    # A try that was ended in the middle leaves packages that are not configured, and then nothing can be installed.
    DEBIAN_FRONTEND=noninteractive try_three_times \
        sh -c 'dpkg --configure -a && exec apt-get install -y -qq "$@"' sh "$@" >/dev/null
}

# needs_program PROGRAM PACKAGE: installs the package, or what apt-get reads as such, if there is no such program.
# shellcheck disable=SC2086 # options and a package
needs_program() { command -v "$1" >/dev/null || install_packages $2; }
