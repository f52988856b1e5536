#!/usr/bin/env bash
# Builds the release tree and prints every figure beside the players that are installed, as ratios of one run.
#
#   bench.sh [ARGUMENT of `descant-bench table`…]      CHECK=1 fails when a demanded ratio is missed
source "$(dirname "$0")/env.sh"

Scripts/setup.sh bench
Scripts/build.sh
exec build/bin/descant-bench table "$@"
