#!/usr/bin/env bash
# Every test: units of the library, then the plugins, built, bundled and loaded as a host loads them.
#
#   test.sh [debug|release] [ARGUMENT of swift test…]
source "$(dirname "$0")/env.sh"
configuration=${1:-debug}
shift || true

# The tests that failed once and passed when they were repeated, of this run and of earlier ones: date, configuration, package, test.
ledger=$scratch/unsteady-tests.txt
# How many failed tests a run may repeat, over all packages.
repetitions=3

# Runs one package's tests; the summary names each failure and ends with the last line of the test runner.
summary=$(mktemp) log=$(mktemp) events=$(mktemp) failed=() unsteady=() busy=()
trap 'rm -f "$summary" "$log" "$events"; ((${#busy[@]} == 0)) || kill "${busy[@]}"' EXIT
run_tests() {
    local package=$1 status=0 tests
    shift
    local command=(swift_in "$package" test -c "$configuration" "${test_flags[@]}" "$@")
    : >"$events"
    until_limit "${command[@]}" --event-stream-output-path "$events" --event-stream-version 6.3 2>&1 |
        tee "$log" || status=$?
    grep -E '^✘ .* recorded an issue|^error: ' "$log" | sed "s|^|  $package: |" >>"$summary" || true
    sed -n "s|^[^A-Za-z]*\(Test run with .*\)|  $package: \1|p" "$log" >>"$summary"
    ((status == 0)) && return
    tests=$(Scripts/failed-tests.py "$events" "$repetitions") && pass_repeated "$package" "$tests" || failed+=("$package")
}

# until_limit COMMAND…: runs the tests; behind their time limit it also ends the test program, which `swift test` starts in a process
# group of its own, and which would keep the output open.
until_limit() {
    local status=0
    "$@" || status=$?
    ((status != 124 && status != 137)) || pkill -KILL -f "^$scratch/.*PackageTests\.xctest" || true
    return "$status"
}

# pass_repeated PACKAGE TESTS: repeats each failed test alone and under load. It is recorded as unsteady when it passes both times,
# and counts as failed when it is recorded for the second time.
pass_repeated() {
    local package=$1 name names
    mapfile -t names <<<"$2"
    repetitions=$((repetitions - ${#names[@]}))
    for name in "${names[@]}"; do
        say "repeated alone: $name"
        passes "$package" "$name" || return
        say "repeated beside two busy processes: $name"
        under_load passes "$package" "$name" || return
        printf '%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$configuration" "$package" "$name" >>"$ledger"
        unsteady+=("$package: $name")
        (($(cut -f 3- "$ledger" | grep -cxF -- "$package"$'\t'"$name") < 2)) || return
    done
}

passes() {
    until_limit swift_in "$1" test -c "$configuration" "${test_flags[@]}" --skip-build --filter "$2" 2>&1 | tee "$log" &&
        grep -q 'Test run with [1-9].* passed' "$log"
}

# under_load COMMAND…: runs a command beside two processes that use all the processor time they get.
under_load() {
    local status=0 _
    for _ in 1 2; do
        nice timeout 30m sh -c 'while :; do :; done' &
        busy+=($!)
    done
    "$@" || status=$?
    kill "${busy[@]}"
    wait "${busy[@]}" || true
    busy=()
    return "$status"
}

limit=(timeout --kill-after=10 20m)
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
        timed "tests of ${target#Tests/} ($configuration)" run_tests . --filter "^${target#Tests/}\\."
    done
else
    timed "tests of the library ($configuration)" run_tests . "$@"
fi
# SwiftNIO and BoringSSL take minutes to compile, players and windows are the same when they are optimised, and what the integration tests
# wait for is the time of real devices: `make test-long` alone tests them in release builds. The tests of the sample players run the program of the media library.
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
    timed "tests of package '$package' ($configuration)" run_tests "$package" "$@"
done

say "closing lines of the test runners ($configuration)"
cat "$summary"
for tests in "${unsteady[@]}"; do say "UNSTEADY, failed among the others, passed alone and under load: $tests"; done
if [[ -s $ledger ]]; then
    say "unsteady tests so far; a second entry of a test fails the run. Remove the lines of a test that is mended from $ledger:"
    cat "$ledger"
fi
((${#failed[@]} == 0)) || fail "tests failed in: ${failed[*]}"
