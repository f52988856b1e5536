#!/usr/bin/env bash
# Writes the kept screens of the terminal player again where the player shows something else. Uses the debug builds of `make test`.
source "$(dirname "$0")/env.sh"
export DESCANT_UPDATE_PICTURES=1
swift_in Samples test "${test_flags[@]}" --filter KeptScreenTests
