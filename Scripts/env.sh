# Sourced by every script here: paths, flags, and a few words of output.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The library, the plugins, the samples and the integration tests are packages of their own. They
# build into one scratch folder: the commands that compile the library are then the same for each
# of them, so it is compiled once, and host and bundles meet the same libDescant.so.
scratch=${SCRATCH:-$root/.build}

# Extra flags for every build, for instance "-Xswiftc -warnings-as-errors". Changing them rebuilds.
read -r -a build_flags <<<"${BUILD_FLAGS:-}"

# Tests that wait for real sound keep their time limits only when not all of them run at once.
test_flags=(--disable-xctest --experimental-maximum-parallelization-width $(($(nproc) + 1)))

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# What stands before `swift` in swift_in: a limit that turns a hang into a failure.
limit=()

# swift_in PACKAGE COMMAND [ARGUMENT…]: `swift build`, `swift test` or `swift package` of one package.
swift_in() {
    local package=$1 command=$2 folder
    shift 2
    folder=$(scratch_of "$package")
    pin_dependencies "$package" "$folder"
    local flags=("${build_flags[@]}")
    # A cached build plan may be another package's, as they share the folder: SwiftPM would then build that one again.
    if [[ $command != package ]]; then flags+=(--disable-build-manifest-caching); fi
    # pkg-config's -pthread, which SwiftPM drops and warns of in every build, is not needed on Linux.
    "${limit[@]}" swift "$command" --package-path "$root/$package" --scratch-path "$folder" \
        --disable-automatic-resolution "${flags[@]}" "$@" 2> >(grep --line-buffered -v 'prohibited flag' >&2)
}

# scratch_of PACKAGE: the folder that the package is built in. The package trait MusicAssistant changes the compile commands of the
# library, so the packages that enable it share a second folder.
scratch_of() {
    if [[ $1 == */MusicAssistant* ]]; then echo "$scratch/music-assistant"; else echo "$scratch"; fi
}

# pin_dependencies PACKAGE SCRATCH: chooses the versions of a package's dependencies, whenever a manifest has changed. This
# happens in a folder of its own: in the shared one it would remove the checkouts that only other packages need, and what
# was built from them would be built again. A build with pinned versions leaves those alone.
pin_dependencies() {
    local folder=$root/$1 manifest
    for manifest in "$root"/{,*/,*/*/}Package.swift; do
        [[ $manifest -nt $folder/Package.resolved ]] || continue
        "${limit[@]}" swift package --package-path "$folder" --scratch-path "$2/resolution" resolve >&2
        touch --no-create "$folder/Package.resolved"
        return
    done
}

# timed NAME COMMAND…: runs a step and reports how long it took.
timed() {
    local name=$1 start=$SECONDS
    shift
    say "$name"
    "$@"
    printf '    %s: %d s\n' "$name" $((SECONDS - start))
}
