#!/usr/bin/env bash
# Builds the terminal player and the voice of its demo, nothing else, and plays the demo.
source "$(dirname "$0")/env.sh"

Scripts/setup.sh play
say "building the player (the first time takes a minute or two)"
# Built without optimisation; an optimised build takes two and a half times as long: docs/decisions/0042-the-demo-is-not-optimised.md.
configuration=debug
swift_in Samples build -c "$configuration" --product descant
say "building the voice of the demo"
source Scripts/voice.sh
exec "$scratch/$configuration/descant" play --demo "$@"
