#!/usr/bin/env bash
# Installs the system packages that are missing (Debian 12, Ubuntu 22.04 and newer) and prints
# their names. Returns at once when nothing is missing.
#
#   setup.sh play     what the library, the sample player and the voice of its demo need to build and run
#   setup.sh build    the same, and what `make build` needs to write a tree that can be shipped
#   setup.sh desktop  what the desktop player needs to build and run
#   setup.sh test     the same, the tools that write and record test signals, and sherpa-onnx with models made here
#   setup.sh bench    the same, and the players that the benchmark compares with
#   setup.sh dist     what `make build` needs, and the tools that write Debian packages
#   setup.sh fuzz     the same as for tests, and what TagLib is compiled with
#   setup.sh suites   only debootstrap, which makes the root folder of another Debian
#
# ALLOW_MISSING=1 prints the missing packages and installs nothing.
source "$(dirname "$0")/env.sh"

play=(
    pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libflac-dev libtag1-dev libpulse-dev libasound2-dev libglib2.0-dev
    libarchive-dev libxml2-dev libgdk-pixbuf-2.0-dev gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-libav gstreamer1.0-plugins-bad
    gstreamer1.0-pulseaudio gstreamer1.0-alsa glib-networking
    flite1-dev libsodium-dev
)
build=(make patchelf binutils libmpv-dev libavcodec-dev libavutil-dev libsqlite3-dev libstk-dev)
# libstk-dev takes the headers of either JACK. Those of the other one would replace the library that is installed, which nothing here may do.
if dpkg-query -W -f '${db:Status-Status}' libjack0 2>/dev/null | grep -qx installed; then
    build+=(libjack-dev)
else
    build+=(libjack-jackd2-dev)
fi
desktop=(libgtk-4-dev libsqlite3-dev adwaita-icon-theme librsvg2-common)
test=(
    libespeak-ng1 gstreamer1.0-tools python3-mutagen ffmpeg flac lame opus-tools vorbis-tools
    python3 python3-pip
    libasound2-plugins pulseaudio pulseaudio-utils dbus playerctl pipewire pipewire-pulse wireplumber
    avahi-daemon iproute2 openssl snapserver snapclient
    groff-base zsh fish tmux xvfb xdotool imagemagick at-spi2-core gir1.2-atspi-2.0 python3-gi python3-xlib desktop-file-utils appstream
)
bench=(mpv gstreamer1.0-plugins-base-apps espeak-ng flite sox libsox-fmt-base libsox-fmt-mp3)
dist=(dpkg-dev debhelper)
fuzz=(libutfcpp-dev zlib1g-dev dpkg-dev)
suites=(debootstrap)

wanted_packages() {
    case $1 in
        play) printf '%s\n' "${play[@]}" ;;
        desktop) printf '%s\n' "${play[@]}" "${desktop[@]}" ;;
        build) printf '%s\n' "${play[@]}" "${build[@]}" ;;
        test) printf '%s\n' "${play[@]}" "${build[@]}" "${desktop[@]}" "${test[@]}" ;;
        bench) printf '%s\n' "${play[@]}" "${build[@]}" "${desktop[@]}" "${test[@]}" "${bench[@]}" ;;
        dist) printf '%s\n' "${play[@]}" "${build[@]}" "${desktop[@]}" "${dist[@]}" ;;
        fuzz) printf '%s\n' "${play[@]}" "${build[@]}" "${desktop[@]}" "${test[@]}" "${fuzz[@]}" ;;
        suites) printf '%s\n' "${suites[@]}" ;;
        *) fail "unknown set '$1': play, desktop, build, test, bench, dist, fuzz or suites" ;;
    esac
}

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
        awk '$2 == "installed" { print $1 }' | sort -u)
    wanted_packages "$1" | sort -u | comm -23 - <(printf '%s\n' "$installed")
}

check_swift() {
    command -v swift >/dev/null ||
        fail "no 'swift' on the path. Install Swift 6.3 or newer: https://www.swift.org/install/linux/"
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
    major=${version%.*} minor=${version#*.}
    ((major > 6 || (major == 6 && minor >= 3))) || fail "Swift 6.3 or newer is needed, this is ${version:-unknown}"
}

install() {
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "as root, run: apt-get install $*"
        as_root=(sudo)
    fi
    say "installing: $*"
    "${as_root[@]}" apt-get update -q
    # --no-remove: the sound packages of a desktop are never replaced.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends --no-remove -q "$@"
}

check_swift
if ! command -v apt-get >/dev/null; then
    say "no apt-get here; these packages (or what your system calls them) are needed:" $(wanted_packages "${1:-test}")
    exit 0
fi

mapfile -t missing < <(missing_packages "${1:-test}")
finish() {
    case ${1:-test} in test | bench) Scripts/speech-models.sh ;; esac
    exit 0
}
((${#missing[@]})) || finish "$@"
if [[ ${ALLOW_MISSING:-} == 1 ]]; then
    say "missing, and not installed as ALLOW_MISSING=1 asks: ${missing[*]}"
    exit 0
fi
install "${missing[@]}"
finish "$@"
