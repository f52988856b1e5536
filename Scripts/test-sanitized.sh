#!/usr/bin/env bash
# Tests the services, the mixer and the plugin registry under a sanitizer: test-sanitized.sh thread|address|undefined
source "$(dirname "$0")/env.sh"
sanitizer=${1:?usage: test-sanitized.sh thread|address|undefined}

Scripts/setup.sh test
# A sanitizer changes every object file, so it keeps a scratch folder of its own.
scratch=$scratch/$sanitizer-sanitizer
configuration="$sanitizer sanitizer"
source Scripts/test-runs.sh
export DESCANT_STORM_SEQUENCES=50
suites='DescantCoreTests|DescantMixingTests|DescantPlaybackTests'
# Tests that compare samples on one thread: with the thread sanitizer they take minutes and find nothing that the others do not find.
unshared='LayerFuzzTests|LayerCoreTests|RewindTests|TransitionTableTests|DitherTests|GraphicEqualizerTests|EffectChainTests|DescantMixingTests.*EffectTests'

# Compiles the library that shows Swift's contended mutexes to the thread sanitizer, and proves on a program of known
# races that it removes false reports and no others.
make_mutex_edges() {
    local work=$scratch/mutex-edges expected outcome
    mkdir -p "$work"
    clang -shared -fPIC -O1 -Wall -Werror Scripts/sanitizer/MutexEdges.c -o "$work/libMutexEdges.so"
    swiftc -swift-version 6 -warnings-as-errors -sanitize=thread -Onone Scripts/sanitizer/Edges.swift -o "$work/Edges"
    preload=(env "LD_PRELOAD=$work/libMutexEdges.so")
    for case in guarded:0 bare:66 apart:66; do
        expected=${case#*:} outcome=0
        "${preload[@]}" "$work/Edges" "${case%:*}" >"$work/log" 2>&1 || outcome=$?
        ((outcome == expected)) && continue
        cat "$work/log"
        fail "the thread sanitizer ends with $outcome, not $expected, in the case '${case%:*}' of Edges.swift"
    done
}

# Run as a program rather than by `swift test`, so that only the tests have the library loaded.
run_with_edges() {
    timed "build for the thread sanitizer" swift_in . build --build-tests --sanitize thread
    timed "known races" make_mutex_edges
    preload+=("TSAN_OPTIONS=suppressions=$root/Scripts/sanitizer/suppressions.txt")
    tests=(
        "${limit[@]}" "${preload[@]}" "$scratch/debug/descantPackageTests.xctest"
        --testing-library swift-testing "${test_flags[@]:1}" --skip "$unshared"
    )
    run_tests . --filter "$suites"
}

limit=(timeout --foreground --kill-after=10 40m)
case $sanitizer in
    thread) run_with_edges ;;
    address)
        # At the end of a run some tasks of tests are suspended, and the memory that only they refer to would count as leaked. `make soak` finds
        # leaks.
        export ASAN_OPTIONS=detect_leaks=0
        tests=(swift_in . test "${test_flags[@]}" --sanitize address)
        run_tests . --filter "$suites|DescantTagLibTests|DescantGStreamerTests|DescantContainersTests|DescantDesktopTests|DescantTestingTests"
        ;;
    undefined)
        # C and C++ code alone is checked: the resampler, the shims of TagLib and GStreamer, the sandbox. A finding ends the test program. Swift
        # code traps without a sanitizer.
        for language in -Xcc -Xcxx; do
            build_flags+=("$language" -fsanitize=undefined "$language" -fsanitize-trap=undefined)
        done
        tests=(swift_in . test "${test_flags[@]}" --skip "$unshared")
        run_tests . --filter "$suites|DescantTagLibTests|DescantGStreamerTests"
        ;;
    *) fail "unknown sanitizer '$sanitizer': thread, address or undefined" ;;
esac
report_tests
