#!/usr/bin/env bash
# Keeps the screens of the terminal player anew, where they differ from what it shows, from debug builds of `make test`.
source "$(dirname "$0")/env.sh"
export DESCANT_UPDATE_PICTURES=1
swift_in Samples test "${test_flags[@]}" --filter KeptScreenTests
