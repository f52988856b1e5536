#!/usr/bin/env bash
# Every test: units of the library, then the plugins, built, bundled and loaded as a host loads them.
#
#   test.sh [debug|release] [ARGUMENT of swift test…]
source "$(dirname "$0")/env.sh"
configuration=${1:-debug}
shift || true

# Tests import internal symbols. In a release build `swift test` enables them with a flag that the builds of plugins and programs do not have, so
# that everything would be compiled twice. With the flag in every build it is compiled once.
if [[ $configuration == release ]]; then
    test_flags+=(--disable-testable-imports)
    [[ ${BUILD_FLAGS:-} == *-enable-testing* ]] || export BUILD_FLAGS="${BUILD_FLAGS:-} -Xswiftc -enable-testing"
    read -r -a build_flags <<<"$BUILD_FLAGS"
fi
source Scripts/test-runs.sh

# test_package PACKAGE [ARGUMENT of swift test…]: builds a package's tests and runs them, all or those that the arguments name.
test_package() {
    local package=$1
    shift
    tests=(swift_in "$package" test -c "$configuration" "${test_flags[@]}")
    run_tests "$package" "$@"
}

limit=(timeout --foreground --kill-after=10 20m)
timed "system packages" Scripts/setup.sh test
timed "plugins and sample players ($configuration)" Scripts/plugins.sh "$configuration" "$scratch/bundles/$configuration"
export DESCANT_TEST_BUNDLES=$scratch/bundles/$configuration
export DESCANT_TEST_PRODUCTS=$scratch/$configuration
export ALSA_CONFIG_PATH=$root/Tests/Integration/Fixtures/SimulatedCard/alsa.conf
export DESCANT_SHERPA_LIBRARY=$scratch/speech/sherpa_onnx/lib/libsherpa-onnx-c-api.so
export DESCANT_SPEECH_MODELS=$scratch/speech/models
# A process for each target of the root package: two thousand tests that wait for sound beside each other starve.
if (($# == 0)); then
    for target in Tests/*Tests; do
        timed "tests of ${target#Tests/} ($configuration)" test_package . --filter "^${target#Tests/}\\."
    done
else
    timed "tests of the library ($configuration)" test_package . "$@"
fi
# `make test-long` alone tests these packages in release builds: SwiftNIO and BoringSSL take minutes to compile, players and windows behave the
# same when they are optimised, and integration tests wait for real devices. The media library comes before the sample players, whose tests run
# its program.
if [[ $configuration == debug || -n ${DESCANT_ALL_PACKAGES:-} ]]; then
    packages=(
        Plugins Samples/MediaLibrary Samples Tests/Integration Samples/DesktopPlayer
        Tests/MusicAssistant Plugins/MusicAssistantPlugin Samples/MusicAssistantTool
    )
else
    packages=()
fi
for package in "${packages[@]}"; do
    grep -qs 'testTarget(' "$package/Package.swift" || continue
    timed "tests of package '$package' ($configuration)" test_package "$package" "$@"
done

# A filter that matches no test would pass.
(($# == 0)) || grep -q 'Test run with [1-9]' "$summary" || fail "no test of these packages is meant by: $*"
report_tests
