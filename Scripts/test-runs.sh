# Sourced by the scripts that run tests, after env.sh: runs tests, repeats those that fail, and prints the summary of all runs.

# The command that runs the tests of the package at hand.
tests=()

# The tests that failed once and passed when they were repeated, of this run and of earlier ones: date, configuration, package, test.
ledger=$scratch/unsteady-tests.txt
# How many failed tests a run may repeat, over all packages.
repetitions=3

# The beginnings of the reports of sanitizers.
finding='(WARNING|ERROR): [A-Za-z]*Sanitizer'

summary=$(mktemp) log=$(mktemp) events=$(mktemp) failed=() unsteady=() busy=()
trap 'rm -f "$summary" "$log" "$events"; ((${#busy[@]} == 0)) || kill "${busy[@]}"' EXIT
# Ctrl-C ends the whole run, and not only the tests of one package. `timeout` runs them with --foreground, so that they get it, too.
trap 'exit 130' INT

# run_tests PACKAGE ARGUMENT…: runs the tests of one package; the summary names each failure and ends with the last line of the runner.
run_tests() {
    local package=$1 status=0 names
    shift
    : >"$events"
    until_limit "${tests[@]}" "$@" --event-stream-output-path "$events" --event-stream-version 6.3 2>&1 |
        tee "$log" || status=$?
    # A test program that is not run by `swift test` writes in colours.
    sed -i $'s/\e\\[[0-9;]*m//g' "$log"
    # The output of a test program that crashes ends in the middle of a line.
    grep -E "^✘ .* recorded an issue|^error: |error: Exited with|$finding" "$log" | sed "s|^|  $package: |" >>"$summary" || true
    sed -n "s|^[^A-Za-z]*\(Test run with .*\)|  $package: \1|p" "$log" >>"$summary"
    ((status == 0)) && return
    Scripts/failed-tests.py "$events" unended | sed "s|^|  $package: has not ended: |" >>"$summary" || true
    # Failed tests end with 1. Another status comes from a signal or the time limit. A sanitizer's finding ends with 1 as well.
    ((status == 1)) && ! grep -qE "$finding" "$log" && names=$(Scripts/failed-tests.py "$events" "$repetitions") &&
        pass_repeated "$package" "$names" || failed+=("$package")
}

# until_limit COMMAND…: runs the tests; behind their time limit it also ends the test program, which `swift test` starts in a process
# group of its own, and which would keep the output open, and the servers that it has started.
until_limit() {
    local status=0 program
    "$@" || status=$?
    if ((status == 124 || status == 137)); then
        for program in $(pgrep -f "^$scratch/.*PackageTests\.xctest"); do
            kill -KILL -- "-$program" 2>/dev/null || kill -KILL "$program" || true
        done
    fi
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
        passes "$name" || return
        say "repeated beside two busy processes: $name"
        under_load passes "$name" || return
        printf '%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$configuration" "$package" "$name" >>"$ledger"
        unsteady+=("$package: $name")
        (($(cut -f 3- "$ledger" | grep -cxF -- "$package"$'\t'"$name") < 2)) || return
    done
}

passes() {
    until_limit "${tests[@]}" --filter "$1" 2>&1 | tee "$log" && grep -q 'Test run with [1-9].* passed' "$log"
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

# report_tests: prints the summary, and fails when a test did.
report_tests() {
    say "closing lines of the test runners ($configuration)"
    cat "$summary"
    for test in "${unsteady[@]}"; do say "UNSTEADY, failed among the others, passed alone and under load: $test"; done
    if [[ -s $ledger ]]; then
        say "unsteady tests so far; a second entry of a test fails the run. Remove the lines of a test that is mended from $ledger:"
        cat "$ledger"
    fi
    ((${#failed[@]} == 0)) || fail "tests failed in: ${failed[*]}"
}
