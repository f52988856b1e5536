#!/usr/bin/env bash
# The tests that take long, one after another, for hours. A failure does not keep the rest from running; the summary names it.
#
#   test-long.sh [WORD]     only the steps whose line below contains the word
source "$(dirname "$0")/env.sh"

steps=(
    "Scripts/test-sanitized.sh thread"
    "Scripts/test-sanitized.sh address"
    "Scripts/test-sanitized.sh undefined"
    "DESCANT_ALL_PACKAGES=1 Scripts/test.sh release"
    "DESCANT_MUTATIONS=10000 Scripts/test.sh debug --filter MutatedFileTests"
    "Scripts/mutate.sh ${MUTANTS:-10000}"
    "DESCANT_STORM_SEQUENCES=10000 Scripts/test.sh debug --filter StormTests"
    "DESCANT_STORM='5000 1000' Scripts/test.sh debug --filter OpenTests"
    "DESCANT_TAG_MUTANTS=10000 Scripts/test.sh debug --filter HostileFileTests"
    "DESCANT_TAG_KILLS=200 Scripts/test.sh debug --filter TagsTests"
    "DESCANT_REMOTE_HAMMER=20 Scripts/test.sh debug --filter PlayerRemoteTests"
    "DESCANT_WIDE_FORMATS=1 Scripts/test.sh debug --filter DecoderFormatTests"
    "DESCANT_CHAOS_RUNS=10000 Scripts/test.sh debug --filter ChaosTests"
    "DESCANT_REWIND_SEEDS=1000 Scripts/test.sh debug --filter RewindTests"
    "Scripts/soak.sh 1"
    "TIME=60 Scripts/fuzz.sh"
    "DESCANT_SOAK_COMMANDS=10000 Scripts/test.sh debug --filter SoakTests"
    "DESCANT_ALL_PACKAGES=1 DESCANT_HOSTILE_LENGTH=1000000 Scripts/test.sh release --filter 'EspeakTests|SpokenProblemTests'"
    "DESCANT_AUTHOR_PACKAGES=1 DESCANT_BENCH_PEERS=1 Scripts/test.sh debug --filter 'PluginAuthorTests|BenchTests'"
    "DESCANT_PARITY=1 Scripts/test.sh debug --filter ParityTests"
    "Scripts/check-old-plugins.sh"
    "Scripts/check-tree.sh"
    "DESCANT_CRASHES=1000 Scripts/test.sh debug --filter IsolationTests"
    "DESCANT_PLAYLIST_MUTANTS=10000 Scripts/test.sh debug --filter HostilePlaylistTests"
    "DESCANT_LIBRARY_TRACKS=100000 Scripts/test.sh debug --filter LargeLibraryTests"
    "DESCANT_LONG_SPEECH=1 Scripts/test.sh debug --filter FiveThousandWordsTests"
)

failed=() ran=0
for step in "${steps[@]}"; do
    [[ $step == *"${1:-}"* ]] || continue
    ran=$((ran + 1))
    say "$step"
    start=$SECONDS
    bash -c "$step" || failed+=("$step")
    printf '    %s: %d s\n' "$step" $((SECONDS - start))
done
((ran)) || fail "no step has the word '$1'"
for step in "${failed[@]}"; do say "failed: $step"; done
((${#failed[@]} == 0)) || fail "${#failed[@]} of the steps failed"
