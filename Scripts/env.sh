# Sourced by every script in this folder: paths, flags, output and builds.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The library, the plugins, the samples and the integration tests are packages of their own. They
# build into one scratch folder: the commands that compile the library are then the same for each
# of them, so it is compiled once, and host and bundles use the same libDescant.so.
scratch=${SCRATCH:-$root/.build}

# Servers that setup.sh unpacks for tests rather than installs.
export PATH=$root/.build/servers/bin:$PATH

# Extra flags for every build, for instance "-Xswiftc -warnings-as-errors". Changing them rebuilds.
read -r -a build_flags <<<"${BUILD_FLAGS:-}"

# Tests that wait for real sound exceed their time limits when all of them run at once.
test_flags=(--disable-xctest --experimental-maximum-parallelization-width $(($(nproc) + 1)))

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The words before `swift` in swift_in: a time limit that turns a hang into a failure.
limit=()

# swift_in PACKAGE COMMAND [ARGUMENT…]: `swift build`, `swift test` or `swift package` of one package.
swift_in() {
    local package=$1 command=$2 folder
    shift 2
    folder=$(scratch_of "$package")
    pin_dependencies "$package" "$folder"
    local flags=("${build_flags[@]}")
    # The packages share the folder, so a cached build plan may belong to another one, which SwiftPM would then build again.
    if [[ $command != package ]]; then flags+=(--disable-build-manifest-caching); fi
    # SwiftPM drops pkg-config's -pthread with a warning in every build; Linux does not need it.
    "${limit[@]}" swift "$command" --package-path "$root/$package" --scratch-path "$folder" \
        --disable-automatic-resolution "${flags[@]}" "$@" 2> >(grep --line-buffered -v 'prohibited flag' >&2)
}

# scratch_of PACKAGE: the folder that the package is built in. The package trait MusicAssistant changes the compile commands of the
# library, so the packages that enable it share a second folder.
scratch_of() {
    if [[ $1 == */MusicAssistant* ]]; then echo "$scratch/music-assistant"; else echo "$scratch"; fi
}

# pin_dependencies PACKAGE SCRATCH: chooses the versions of a package's dependencies when a manifest has changed. This
# happens in a folder of its own: in the shared one it would remove the checkouts that only other packages need, and their
# products would be built again. A build with pinned versions keeps them.
pin_dependencies() {
    local folder=$root/$1 manifest
    for manifest in "$root"/{,*/,*/*/}Package.swift; do
        [[ $manifest -nt $folder/Package.resolved ]] || continue
        "${limit[@]}" swift package --package-path "$folder" --scratch-path "$2/resolution" resolve >&2
        touch --no-create "$folder/Package.resolved"
        return
    done
}

# release_version: the version of this release, which `descant --version` prints.
release_version() {
    sed -n 's/^let programVersion = "\(.*\)"$/\1/p' "$root/Samples/Sources/descant/Version.swift"
}

# toolchain_folder: the `usr` folder of the toolchain. An installer of toolchains may lie in front of it, so `swift` itself is asked.
toolchain_folder() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    echo "${resources%/lib/swift}"
}

# timed NAME COMMAND…: runs a step and reports how long it took.
timed() {
    local name=$1 start=$SECONDS
    shift
    say "$name"
    "$@"
    printf '    %s: %d s\n' "$name" $((SECONDS - start))
}
