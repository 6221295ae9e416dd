# Debian roots to try things in; sourced by the scripts of this folder. Needs root, debootstrap and unshare.
#
# $ROOTS/base is a minimal Debian, $ROOTS/tools what a build needs beyond it. A command sees them under a layer of its own,
# so that the next command finds them as they were. Mounts and processes end with the command.

RELEASE=${RELEASE:-trixie}
MIRROR=${MIRROR:-http://deb.debian.org/debian}
ROOTS=$PWD/.build/debian-$RELEASE

[ "$(id -u)" -eq 0 ] || { echo "This needs root, for the mounts of a Debian root." >&2; exit 1; }
for program in debootstrap unshare; do
    command -v "$program" >/dev/null || { echo "Install $program." >&2; exit 1; }
done

# Runs a command in the root that the layers make, where changes go into the folder $1.
#   in_root CHANGES LAYERS COMMAND…    LAYERS: base, or tools:base
# The folders of this machine that BINDS names, separated by spaces, can be read under their own paths. With OFFLINE=yes there
# is no network but a loopback address of its own, so that no port is taken.
in_root() {
    local changes=$1 layers=$ROOTS/${2/:/:$ROOTS/}
    shift 2
    mkdir -p "$changes" "$changes-work" "$ROOTS/root"
    # The innermost shell is the first process of its own space, so all that it leaves ends with it.
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --pid --fork --kill-child ${OFFLINE:+--net} bash -euc '
        root=$1 changes=$2 layers=$3 work=$4; shift 4
        # SIOCSIFFLAGS: up and running.
        [ -z "${OFFLINE:-}" ] || python3 -c "import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack(\"16sh\", b\"lo\", 0x41))"
        mount -t overlay overlay -o "lowerdir=$layers,upperdir=$changes,workdir=$work" "$root"
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount --rbind /dev "$root/dev"
        for folder in ${BINDS:-}; do
            mkdir -p "$root$folder"
            mount --bind "$folder" "$root$folder"
            mount -o remount,bind,ro "$root$folder"
        done
        rm -f "$root/etc/resolv.conf"
        cp /etc/resolv.conf "$root/etc/resolv.conf"
        exec env -i PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin" HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" chroot "$root" "$@"
    ' bash "$ROOTS/root" "$changes" "$layers" "$changes-work" "$@"
}

# Makes the minimal root, once.
make_base() {
    [ -e "$ROOTS/base.made" ] && return
    rm -rf "$ROOTS/base"
    mkdir -p "$ROOTS/base"
    echo "Making a root of Debian $RELEASE ..." >&2
    debootstrap --variant=minbase --include=ca-certificates "$RELEASE" "$ROOTS/base" "$MIRROR" >"$ROOTS/base.log" 2>&1 || {
        tail -n 5 "$ROOTS/base.log" >&2
        exit 1
    }
    # Nothing starts because it was installed.
    printf '#!/bin/sh\nexit 101\n' >"$ROOTS/base/usr/sbin/policy-rc.d"
    chmod 755 "$ROOTS/base/usr/sbin/policy-rc.d"
    touch "$ROOTS/base.made"
}

# Installs what the toolchain, the build, the tests and the package need, once, and again when this file has changed.
make_tools() {
    make_base
    ! cmp -s .ci/debian/root.sh "$ROOTS/tools.made" || return 0
    rm -rf "$ROOTS/tools"
    echo 'Installing what a build needs ...' >&2
    in_root "$ROOTS/tools" base sh -euc '
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends binutils binutils-gold g++ git libc6-dev libcurl4-openssl-dev \
            libedit2 libncurses6 libpython3-dev libssl-dev libsqlite3-dev libexpat1-dev libhiredis-dev libxml2-dev \
            libz3-dev make openssh-client openssl pkg-config procps python3 redis-server tzdata unzip zlib1g-dev \
            debhelper dpkg-dev fakeroot lintian systemd
    ' >"$ROOTS/tools.log" 2>&1 || { tail -n 5 "$ROOTS/tools.log" >&2; exit 1; }
    cp .ci/debian/root.sh "$ROOTS/tools.made"
}

# The toolchain of this machine, as a folder to bind.
toolchain() {
    local swift
    swift=$(readlink -f "$(command -v swift)") || true
    [ -n "$swift" ] || { echo 'There is no Swift toolchain on this machine.' >&2; exit 1; }
    echo "${swift%/usr/bin/*}"
}

# The checkout may belong to another user, as in a container.
git_files() { git -c safe.directory="$PWD" ls-files -z; }

# Puts the sources into the folder of a layer that commands see as /sources, with the packages that SwiftPM has fetched here.
copy_sources() {
    mkdir -p "$1/sources"
    # What is as it was stays untouched, so that the next build is quick; what is gone here goes there.
    git_files | tar -cf - --null -T - |
        tar -xf - --no-same-owner --keep-newer-files --warning=no-ignore-newer -C "$1/sources"
    LC_ALL=C comm -z -13 <(git_files | LC_ALL=C sort -z) \
        <(cd "$1/sources" && find . -path ./.build -prune -o ! -type d -printf '%P\0' | LC_ALL=C sort -z) |
        (cd "$1/sources" && xargs -0 -r rm -f)
    # One folder for `make test`, one for `make release`.
    copy_packages "$1" /sources .build .build/tool
}

# Puts the packages that SwiftPM has fetched here into the sources of a layer, so that it fetches nothing there.
#   copy_packages LAYER SOURCES SCRATCH-FOLDER…
copy_packages() {
    local layer=$1 sources=$2 scratch
    shift 2
    [ -d .build/checkouts ] && [ -e Package.resolved ] || swift package --traits CLI,Redis,Service resolve >&2
    for scratch in "${@/#/$sources/}"; do
        ! cmp -s Package.resolved "$layer$scratch/of-resolved" || continue
        mkdir -p "$layer$scratch"
        rm -rf "$layer$scratch"/{checkouts,repositories,workspace-state.json}
        cp -a .build/checkouts .build/repositories .build/workspace-state.json "$layer$scratch/"
        # A checkout names the folder of its objects. With a wrong one, SwiftPM fetches the package anew.
        sed -i "s|$PWD/.build/|$scratch/|" \
            "$layer$scratch"/checkouts/*/.git/config "$layer$scratch"/checkouts/*/.git/objects/info/alternates
        cp Package.resolved "$layer$scratch/of-resolved"
    done
    cp Package.resolved "$layer$sources/"
}
