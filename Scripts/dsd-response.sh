#!/usr/bin/env bash
# Draws the frequency response of the DSD decoder for the documentation, measured on what the built bundle renders.
source "$(dirname "$0")/env.sh"
Scripts/plugins.sh debug "$scratch/bundles/debug"
export DESCANT_TEST_BUNDLES=$scratch/bundles/debug DESCANT_TEST_PRODUCTS=$scratch/debug DESCANT_UPDATE_PLOTS=1
swift_in Tests/Integration test "${test_flags[@]}" --filter documentationHasTheMeasuredResponse
