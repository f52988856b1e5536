# Sourced by every script here: paths, flags, and a few words of output.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The library, the plugins, the samples and the integration tests are packages of their own. They
# build into one scratch folder: the commands that compile the library are then the same for each
# of them, so it is compiled once, and host and bundles meet the same libDescant.so.
scratch=${SCRATCH:-$root/.build}

# The library without its Music Assistant client, which alone needs SwiftNIO: nothing is fetched that is not built.
export DESCANT_WITHOUT_MUSIC_ASSISTANT=1

# Extra flags for every build, for instance "-Xswiftc -warnings-as-errors". Changing them rebuilds.
read -r -a build_flags <<<"${BUILD_FLAGS:-}"

# Tests that wait for real sound keep their time limits only when not all of them run at once.
test_flags=(--disable-xctest --experimental-maximum-parallelization-width $(($(nproc) + 1)))

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# What stands before `swift` in swift_in: a limit that turns a hang into a failure.
limit=()

# swift_in PACKAGE COMMAND [ARGUMENT…]: `swift build` or `swift test` of one package.
swift_in() {
    local package=$1 command=$2
    shift 2
    local folder=$scratch run=(swift) resolution=()
    if [[ $package == */MusicAssistant* ]]; then
        # The clients of MusicAssistantKit fetch SwiftNIO. They share a folder of their own, or their checkouts would
        # come and go with every other package that is built in between.
        folder=$scratch/music-assistant run=(env -u DESCANT_WITHOUT_MUSIC_ASSISTANT swift)
    elif [[ $package == . ]] || ! grep -q 'url:' "$root/$package/Package.swift"; then
        # Without remote dependencies there is nothing to resolve. Resolving anyway would remove the
        # checkouts that another package keeps in the shared scratch folder, and rebuild them next time.
        resolution=(--disable-automatic-resolution)
    fi
    # A cached build plan may be another package's, as they share the folder: SwiftPM would then build that one again.
    # pkg-config's -pthread, which SwiftPM drops and warns of in every build, is not needed on Linux.
    "${limit[@]}" "${run[@]}" "$command" --package-path "$root/$package" --scratch-path "$folder" \
        --disable-build-manifest-caching "${resolution[@]}" "${build_flags[@]}" "$@" 2> >(grep --line-buffered -v 'prohibited flag' >&2)
}

# timed NAME COMMAND…: runs a step and reports how long it took.
timed() {
    local name=$1 start=$SECONDS
    shift
    say "$name"
    "$@"
    printf '    %s: %d s\n' "$name" $((SECONDS - start))
}
