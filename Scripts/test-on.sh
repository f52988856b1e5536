#!/usr/bin/env bash
# Runs the steps of `make play` and `make test` on another release of Debian, in a root folder of its own, because users have newer systems
# than Debian 12.
#
#   test-on.sh [SUITE] [play|test|shell] [ARGUMENT…]
#
# SUITE is trixie (Debian 13) unless another is named; without a step, first play and then test are run. The arguments go to
# test.sh after `debug`, or to the shell. The root folder is kept under .build and reused. MIRROR=URL replaces the mirror that
# this system's own packages come from.
#
# The Swift toolchain of this machine is used: it must run on the suite.
source "$(dirname "$0")/env.sh"
source "$root/Scripts/roots.sh"
suite=${1:-trixie}
step=${2:-all}
shift $(($# < 2 ? $# : 2))
target=$scratch/roots/$suite

[[ $suite =~ ^[a-z]+$ ]] || fail "'$suite' is not a suite; name one of Debian's, for instance trixie"
git rev-parse --git-dir >/dev/null 2>&1 || fail "the files are copied from a checkout, and git knows none here; clone the repository"
((EUID == 0)) || fail "only root may make and enter a root folder; run: sudo --preserve-env=PATH $0 $suite $step"
# The mounts of a namespace disappear with the script, however that ends, so `make clean` never follows one.
if [[ -z ${TEST_ON_INSIDE:-} ]]; then
    TEST_ON_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$root/Scripts/test-on.sh" "$suite" "$step" "$@"
fi

toolchain=$(toolchain_folder)

# The packages that the toolchain needs, as on swift.org; setup.sh installs the others.
for_toolchain=(
    apt-utils binutils ca-certificates curl git g++ libcurl4-openssl-dev libedit-dev libncurses-dev libsqlite3-dev
    libxml2-dev make pkg-config procps tzdata unzip uuid-dev zlib1g-dev
)

mount_into_root() {
    mount --make-rprivate /
    mount -t proc proc "$target/proc"
    mount --rbind /sys "$target/sys"
    mount --rbind /dev "$target/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$target/dev/shm"
    mount -t tmpfs -o mode=755 tmpfs "$target/run"
    cp -L /etc/resolv.conf /etc/hosts "$target/etc/"
    bind_read_only "$toolchain"
    # Git takes the dependencies from the same addresses as on this machine.
    git config --global --get-regexp '^url\..*\.insteadof$' >"$target/tmp/urls" || true
    git config --system --get-regexp '^url\..*\.insteadof$' >>"$target/tmp/urls" || true
    : >"$target/etc/gitconfig"
    local key value folder
    while read -r key value; do
        git config --file "$target/etc/gitconfig" --add "$key" "$value"
        folder=${key#url.}
        folder=${folder%.insteadof}
        [[ $folder != /* || ! -d $folder ]] || mountpoint -q "$target$folder" || bind_read_only "$folder"
    done <"$target/tmp/urls"
    git config --file "$target/etc/gitconfig" --add safe.directory '*'
}

bind_read_only() {
    mkdir -p "$target$1"
    mount --bind "$1" "$target$1"
    mount -o remount,bind,ro "$target$1"
}

# Copies the files that git tracks or would add, in their current state; build products inside are kept.
copy_checkout() {
    mkdir -p "$target/descant"
    find "$target/descant" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [[ ! -f $file ]] || printf '%s\0' "$file"; done |
        tar --create --null --files-from - | tar --extract --directory "$target/descant"
}

inside() {
    chroot "$target" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
        BUILD_FLAGS="${BUILD_FLAGS:-}" PATH="$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        bash -euo pipefail -c 'cd /descant && "$@"' _ "$@"
}

make_root "$suite" "$target"
mount_into_root
copy_checkout
# An earlier run may have been ended in the middle of an installation.
inside dpkg --configure -a
inside apt-get update -q
inside apt-get install --yes --no-install-recommends -q "${for_toolchain[@]}"
# The certificate authorities that this machine trusts, for networks with an authority of their own.
cp -L /etc/ssl/certs/ca-certificates.crt "$target/etc/ssl/certs/"
inside bash -c '. /etc/os-release && echo "==> on $PRETTY_NAME, $(swift --version 2>&1 | head -1)"'
case $step in
    play) timed "play on $suite" inside Scripts/play.sh --output /tmp/demo.wav "$@" ;;
    test) timed "test on $suite" inside Scripts/test.sh debug "$@" ;;
    shell) inside bash "$@" ;;
    all)
        timed "play on $suite" inside Scripts/play.sh --output /tmp/demo.wav
        timed "test on $suite" inside Scripts/test.sh debug
        ;;
    *) fail "unknown step '$step': play, test or shell" ;;
esac
