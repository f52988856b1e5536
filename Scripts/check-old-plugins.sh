#!/usr/bin/env bash
# Builds the first-party plugins as they were when the present plugin ABI number was introduced, and tests them with the library of
# today. A plugin that was built then must work until the number is raised. Needs the history of the repository, and minutes.
#
#   check-old-plugins.sh [COMMIT]     plugins of another commit, for instance of the last release
source "$(dirname "$0")/env.sh"

number=$(sed -n '1s/plugin ABI //p' Scripts/plugin-abi.txt)
[[ -n ${1:-} || $(git rev-parse --is-shallow-repository) == false ]] || fail "a clone with its whole history is needed"
commit=${1:-$(git log --reverse --format=%H -S"plugin ABI $number" -- Scripts/plugin-abi.txt | head -1)}
[[ -n $commit ]] || fail "the history has no commit that introduced plugin ABI $number; a clone with its whole history is needed"
say "plugins of $(git log -1 --format='%h, %cs' "$commit")"

old=$scratch/old-plugins
rm -rf "$old/tree"
mkdir -p "$old/tree"
git archive "$commit" | tar x -C "$old/tree"
# The env.sh of that commit is used, because its flags and folders may differ from those of today.
build_then() { cd "$old/tree" && SCRATCH=$old/build bash -c 'source Scripts/env.sh; swift_in Plugins build'; }
timed "plugins of then" build_then

cd "$root"
Scripts/setup.sh test
timed "plugins and tests of today" Scripts/plugins.sh debug "$scratch/bundles/debug"
export DESCANT_TEST_BUNDLES=$scratch/bundles/debug DESCANT_TEST_PRODUCTS=$old/build/debug
# Only the contracts, which every plugin of a kind keeps. Other suites also test what was added since then.
timed "plugins of then with the library of today" swift_in Tests/Integration test "${test_flags[@]}" --filter \
    'DSDDecoderTests/theDecoderContract|FLACDecoderTests/theDecoderContract|theToneEngineKeepsIt|FliteTests/keepsTheContract|PCMStreamOutputTests/keepsTheContractOfOutputs'
