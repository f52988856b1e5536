#!/usr/bin/env bash
# Builds the terminal player and the voice of its demo, nothing else, and plays the demo.
source "$(dirname "$0")/env.sh"

# The voice is flite: it speaks English in the player's process, without a helper, and is not under the GPL.
build_voice() {
    swift_in Plugins build -c release --product FliteSpeech &&
        rm -rf "$bundles" &&
        "$scratch/release/descant" plugin bundle "$scratch/release/libFliteSpeech.so" --output "$bundles" >/dev/null
}

Scripts/setup.sh play
say "building the player (the first time takes a minute or two)"
swift_in Samples build -c release --product descant
bundles=$scratch/bundles/play
say "building the voice of the demo"
build_voice || say "the voice cannot be built; what is above says why"
export DESCANT_PLUGIN_PATH=$bundles${DESCANT_PLUGIN_PATH:+:$DESCANT_PLUGIN_PATH}
exec "$scratch/release/descant" play --demo "$@"
