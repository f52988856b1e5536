# Sourced by the scripts that start a player from the checkout: builds a voice, whose bundle the player finds. Needs the program `descant` of
# the build that `configuration` names.

# The voice is flite: it speaks English in the player's process, without a helper, and is not under the GPL.
bundles=$scratch/bundles/play
build_voice() {
    swift_in Plugins build -c "$configuration" --product FliteSpeech &&
        rm -rf "$bundles" &&
        "$scratch/$configuration/descant" plugin bundle "$scratch/$configuration/libFliteSpeech.so" --output "$bundles" >/dev/null
}
build_voice || say "the voice cannot be built; what is above says why"
export DESCANT_PLUGIN_PATH=$bundles${DESCANT_PLUGIN_PATH:+:$DESCANT_PLUGIN_PATH}
