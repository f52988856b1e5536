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
    libasound2-plugins pulseaudio-utils dbus playerctl pipewire wireplumber avahi-daemon iproute2 openssl
    groff-base zsh fish tmux xvfb xdotool imagemagick at-spi2-core gir1.2-atspi-2.0 python3-gi python3-xlib desktop-file-utils appstream
)
# Servers that tests start. As packages they would serve this machine's desktop from now on, and pulseaudio cannot be installed beside PipeWire's
# package for desktops. Those that are not installed are unpacked into $root/.build/servers, and only what they need is installed.
servers=(pulseaudio pipewire-pulse snapserver snapclient)
bench=(mpv gstreamer1.0-plugins-base-apps espeak-ng flite sox libsox-fmt-base libsox-fmt-mp3)
dist=(build-essential dpkg-dev debhelper)
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

installed_packages() {
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" { print $1 }' | sort -u
}

missing_packages() { wanted_packages "$1" | sort -u | comm -23 - <(installed_packages); }

absent_servers() {
    case $1 in test | bench | fuzz) ;; *) return ;; esac
    local server folder=$root/.build/servers
    for server in $(printf '%s\n' "${servers[@]}" | sort | comm -23 - <(installed_packages)); do
        [[ -x $folder/bin/$server && (! -e $folder/system || $(<"$folder/system") == "$(system)") ]] || echo "$server"
    done
}

# The system and its release: what was unpacked for another one does not run.
system() { (. /etc/os-release && echo "$ID ${VERSION_ID:-}"); }

check_swift() {
    command -v swift >/dev/null ||
        fail "no 'swift' on the path. Install Swift 6.3, 6.4 or 6.5: https://www.swift.org/install/linux/"
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p') ||
        fail "swift does not run; this tells why: swift --version"
    major=${version%.*} minor=${version#*.}
    ((major == 6 && minor >= 3 && minor <= 5)) || fail "Swift 6.3 to 6.5 is needed, this is ${version:-unknown}"
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        command -v sudo >/dev/null || fail "as root, run: $*"
        sudo "$@"
    fi
}

# --no-remove: the sound packages of a desktop are never replaced.
apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get "$1" --yes --no-install-recommends --no-remove -q "${@:2}"; }

# unpack_servers PACKAGE…: the servers themselves into $root/.build/servers, and as packages what they need.
unpack_servers() {
    local folder=$root/.build/servers server package needed=()
    mkdir -p "$folder/bin" "$folder/packages"
    for server in "$@"; do
        rm -f "$folder/packages/$server"_*.deb
        (cd "$folder/packages" && apt-get download -q "$server")
        package=$(echo "$folder/packages/$server"_*.deb)
        dpkg-deb -x "$package" "$folder"
        needed+=("$(dpkg-deb -f "$package" Depends)")
    done
    apt_get satisfy "${needed[@]}"
    for server in "$@"; do start_command "$server" >"$folder/bin/$server" && chmod +x "$folder/bin/$server"; done
    system >"$folder/system"
}

# start_command SERVER: a script that starts an unpacked server, which looks for its parts where a package would have put them.
start_command() {
    local usr=$root/.build/servers/usr modules libraries
    echo '#!/bin/bash'
    case $1 in
        pulseaudio)
            modules=$(dirname "$(find "$usr/lib" -name module-null-sink.so)")
            libraries=$(dirname "$(find "$usr/lib" -name 'libpulsecore-*.so')")
            printf 'exec env LD_LIBRARY_PATH=%q %q --dl-search-path=%q "$@"\n' "$libraries:$modules" "$usr/bin/pulseaudio" "$modules"
            ;;
        pipewire-pulse) printf 'exec -a pipewire-pulse pipewire -c %q "$@"\n' "$usr/share/pipewire/pipewire-pulse.conf" ;;
        *) printf 'exec %q "$@"\n' "$usr/bin/$1" ;;
    esac
}

# Here, because a failure inside of `< <(…)` does not end the script.
wanted_packages "${1:-test}" >/dev/null
check_swift
if ! command -v apt-get >/dev/null; then
    say "no apt-get here; these packages (or what your system calls them) are needed:" $(wanted_packages "${1:-test}") "and for tests:" "${servers[@]}"
    exit 0
fi

mapfile -t missing < <(missing_packages "${1:-test}")
mapfile -t missing_servers < <(absent_servers "${1:-test}")
finish() {
    case ${1:-test} in test | bench) Scripts/speech-models.sh ;; esac
    exit 0
}
((${#missing[@]} + ${#missing_servers[@]})) || finish "$@"
if [[ ${ALLOW_MISSING:-} == 1 ]]; then
    say "missing, and not installed as ALLOW_MISSING=1 asks: ${missing[*]} ${missing_servers[*]}"
    exit 0
fi
# What is needed may come from the others.
as_root apt-get update -q || say "some sources of packages failed, see above; going on with the others"
if ((${#missing[@]})); then
    say "installing: ${missing[*]}"
    apt_get install "${missing[@]}"
fi
if ((${#missing_servers[@]})); then
    say "unpacking for tests, not installing: ${missing_servers[*]}"
    unpack_servers "${missing_servers[@]}"
fi
finish "$@"
