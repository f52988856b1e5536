#!/usr/bin/env bash
# Keeps the pictures of the desktop player's window anew, where they differ from what the window shows, from debug builds of `make test`.
source "$(dirname "$0")/env.sh"
export DESCANT_TEST_BUNDLES=$scratch/bundles/debug DESCANT_TEST_PRODUCTS=$scratch/debug DESCANT_UPDATE_PICTURES=1
swift_in Samples/DesktopPlayer test "${test_flags[@]}" --filter 'coversOfTags|theWindow|theEqualizer'
