#!/usr/bin/env bash
# Writes the kept pictures of the desktop player's window again where the window shows something else. Uses the debug builds of `make test`.
source "$(dirname "$0")/env.sh"
export DESCANT_TEST_BUNDLES=$scratch/bundles/debug DESCANT_TEST_PRODUCTS=$scratch/debug DESCANT_UPDATE_PICTURES=1
swift_in Samples/DesktopPlayer test "${test_flags[@]}" --filter 'coversOfTags|theWindow|theEqualizer'
