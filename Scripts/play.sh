#!/usr/bin/env bash
# From a fresh clone to music: builds the terminal player, nothing else, and plays its demo.
source "$(dirname "$0")/env.sh"

Scripts/setup.sh play
say "building the player (the first time takes a minute or two)"
swift_in Samples build -c release --product descant
exec "$scratch/release/descant" play --demo "$@"
