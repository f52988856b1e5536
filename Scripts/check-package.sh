#!/usr/bin/env bash
# Installs the packages of build/dist in a new Debian, uses them as a user would, removes them, and looks for files that are left. The new
# system has no Swift toolchain and only the packages that these depend on. It is the same release of Debian as this system, because packages
# need the libraries that they were compiled with. Its root folder is kept under .build and reused.
source "$(dirname "$0")/env.sh"
source "$root/Scripts/roots.sh"
packages=$root/build/dist
compgen -G "$packages/descant_*.deb" >/dev/null || fail "there is no package yet: run make dist"
((EUID == 0)) || fail "only root may make and enter a root folder; run: sudo --preserve-env=PATH $0"
# The mounts of a namespace disappear with the script, however that ends.
if [[ -z ${CHECK_PACKAGE_INSIDE:-} ]]; then
    CHECK_PACKAGE_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$root/Scripts/check-package.sh" "$@"
fi
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
fresh=$scratch/roots/packages-$suite
version=$(release_version)
kind=${version}_$(dpkg --print-architecture).deb
make_root "$suite" "$fresh"

# Changes of the root folder are written to an overlay in memory, which is removed when the script ends.
mount --make-rprivate /
layer=$(mktemp -d)
trap 'umount -R "$layer/root" "$layer/memory" 2>/dev/null; rm -rf --one-file-system "$layer"' EXIT
mkdir "$layer/root" "$layer/memory"
mount -t tmpfs tmpfs "$layer/memory"
mkdir "$layer/memory/upper" "$layer/memory/work"
mount -t overlay overlay -o "lowerdir=$fresh,upperdir=$layer/memory/upper,workdir=$layer/memory/work" "$layer/root"
target=$layer/root
mount -t proc proc "$target/proc"
mount --rbind /dev "$target/dev"
cp -L /etc/resolv.conf /etc/hosts "$target/etc/"
mkdir "$target/packages"
cp "$packages"/descant*.deb "$target/packages/"

inside() {
    chroot "$target" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# expect WORDS COMMAND…: fails unless the command succeeds and its output contains the words.
expect() {
    local words=$1 output
    shift
    output=$(inside "$@" 2>&1) || fail "$* ended with status $?: $output"
    grep -qF -- "$words" <<<"$output" || fail "$* does not say \"$words\": $output"
}

# The paths that a package may own. Caches, logs and the lists of apt and dpkg change with every installation.
paths() {
    (cd "$target" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./packages -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
        -o -path ./var/cache -o -path ./var/log -o -path ./root \) -prune -o -print | sort)
}

inside apt-get update -q
# The authorities and the package lists come first, so that only the packages' own traces are compared.
paths >"$layer/before"
inside dpkg-query -W -f '${Package}\n' >"$layer/packages-before"

say "installing without what is only recommended"
inside apt-get install --yes --no-install-recommends -q "/packages/descant_$kind"
expect "$version" descant --version
expect /usr/lib/descant/plugins descant plugins
# Without a sound server and the recommended codecs the doctor ends with 1, and names what is missing.
report=$(inside descant doctor 2>&1) && fail "descant doctor misses no sound server: $report"
grep -qF audiomixer <<<"$report" || fail "descant doctor does not say \"audiomixer\": $report"
# A second of a tone of 440 Hz, in mono at 44100 Hz with 16 bits.
python3 - "$target/root/tone.wav" <<'PYTHON'
import math, struct, sys, wave
with wave.open(sys.argv[1], "wb") as file:
    file.setnchannels(1), file.setsampwidth(2), file.setframerate(44100)
    file.writeframes(b"".join(struct.pack("<h", round(16000 * math.sin(2 * math.pi * 440 * i / 44100))) for i in range(44100)))
PYTHON
expect '"sampleRate" : 44100' descant render --json --format s16 --output /root/rendered.wav /root/tone.wav
expect '"sampleRate" : 44100' descant info --json /root/rendered.wav
expect "$version" descant-library --version
expect "$version" descant-ma --version
expect crossfade zcat /usr/share/man/man1/descant-play.1.gz
python3 - "$target/root/rendered.wav" <<'PYTHON'
import struct, sys, wave
with wave.open(sys.argv[1]) as file:
    frames, channels = file.getnframes(), file.getnchannels()
    samples = struct.unpack(f"<{frames * channels}h", file.readframes(frames))[::channels]
crossings = sum(a < 0 <= b for a, b in zip(samples, samples[1:]))
if frames != 44100 or abs(crossings - 440) > 1 or not 15900 <= max(samples) <= 16100:
    sys.exit(f"the rendered tone has {frames} frames, {crossings} periods and a peak of {max(samples)}")
PYTHON

say "installing the other packages"
inside apt-get install --yes --no-install-recommends -q /packages/descant-d{esktop,ev,bg}_"$kind"
for file in /usr/share/applications/org.descant.Player.desktop /usr/lib/pkgconfig/descant.pc /usr/share/man/man1/descant-desktop.1.gz; do
    [[ -s $target$file ]] || fail "$file is not installed"
done
output=$(inside descant-desktop 2>&1) && fail "descant-desktop needs no display: $output"
grep -qF 'no display' <<<"$output" || fail "descant-desktop does not say that there is no display: $output"

say "removing everything again"
inside dpkg-query -W -f '${Package}\n' >"$layer/packages-after"
mapfile -t added < <(comm -13 "$layer/packages-before" "$layer/packages-after" | grep -v '^descant')
inside apt-get purge --yes -q 'descant*'
inside apt-get purge --yes -q "${added[@]}"
paths >"$layer/after"
# Files that other packages leave do not count.
left=$(comm -13 "$layer/before" "$layer/after" | grep -i descant || true)
[[ -z $left ]] || fail "the packages leave:"$'\n'"$left"
lost=$(comm -23 "$layer/before" "$layer/after")
[[ -z $lost ]] || fail "the packages removed what was there before:"$'\n'"$lost"
say "the packages of build/dist install, run and go without a trace on $suite"
