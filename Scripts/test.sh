#!/usr/bin/env bash
# Every test: units of the library, then the plugins, built, bundled and loaded as a host loads them.
#
#   test.sh [debug|release] [ARGUMENT of swift test…]
source "$(dirname "$0")/env.sh"
configuration=${1:-debug}
shift || true

# Runs one package's tests; the summary names each failure and closes with the runner's own last line.
summary=$(mktemp) failed=()
trap 'rm -f "$summary"' EXIT
run_tests() {
    local package=$1 log
    shift
    log=$(mktemp)
    local status=0
    swift_in "$package" test -c "$configuration" "${test_flags[@]}" "$@" 2>&1 | tee "$log" || status=$?
    grep -E '^✘ .* recorded an issue|^error: ' "$log" | sed "s|^|  $package: |" >>"$summary" || true
    sed -n "s|^[^A-Za-z]*\(Test run with .*\)|  $package: \1|p" "$log" >>"$summary"
    rm -f "$log"
    ((status == 0)) || failed+=("$package")
}

limit=(timeout --kill-after=10 30m)
timed "system packages" Scripts/setup.sh test
timed "plugins and sample players ($configuration)" Scripts/plugins.sh "$configuration" "$scratch/bundles/$configuration"
export DESCANT_TEST_BUNDLES=$scratch/bundles/$configuration
export DESCANT_TEST_PRODUCTS=$scratch/$configuration
export DESCANT_SHERPA_LIBRARY=$scratch/speech/sherpa_onnx/lib/libsherpa-onnx-c-api.so
export DESCANT_SPEECH_MODELS=$scratch/speech/models
for package in . Plugins Samples Tests/Integration Tests/MusicAssistant Plugins/MusicAssistantPlugin Samples/MusicAssistantTool; do
    grep -qs 'testTarget(' "$package/Package.swift" || continue
    timed "tests of package '$package' ($configuration)" run_tests "$package" "$@"
done

say "closing lines of the test runners ($configuration)"
cat "$summary"
((${#failed[@]} == 0)) || fail "tests failed in: ${failed[*]}"
