#!/usr/bin/env bash
# Random operations over all services of a host, as fast as the machine renders. Ends with 1 when memory, threads or descriptors grow, or when
# a player changes its state in a way that is not documented.
#
#   soak.sh [HOURS] [SEED]     hours of rendered sound, 1 by default; the seed that an earlier run named, to see its failure again
source "$(dirname "$0")/env.sh"
hours=${1:-1}
seed=${2:-$RANDOM$RANDOM}

Scripts/setup.sh test
Scripts/plugins.sh release "$scratch/bundles/release"
swift_in Tests/Integration build -c release --product ServiceSoak
say "soak: $hours h of sound, seed $seed"
# The allocator uses one arena. Several fill slowly, which would hide memory that the services lose.
MALLOC_ARENA_MAX=1 "$scratch/release/ServiceSoak" "$hours" "$seed" "$scratch/bundles/release"
