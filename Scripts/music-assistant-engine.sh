#!/usr/bin/env bash
# Builds the engine for Music Assistant players and writes its bundle. It is apart from the other plugins because SwiftNIO
# takes minutes to build. `descant` has to be built already.
#
#   music-assistant-engine.sh CONFIGURATION FOLDER
source "$(dirname "$0")/env.sh"
configuration=${1:-release}
output=${2:-build/lib/descant/plugins}

swift_in Plugins/MusicAssistantPlugin build -c "$configuration" --product MusicAssistantEngine

# The shipped bundle finds the libraries beside it and the Swift runtime of the tree.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(scratch_of Plugins/MusicAssistantPlugin)/$configuration/libMusicAssistantEngine.so" "$work/"
patchelf --set-rpath '$ORIGIN:$ORIGIN/../../swift' "$work/libMusicAssistantEngine.so"
mkdir -p "$output"
rm -rf "${output:?}/MusicAssistantEngine.descantplugin"
"$scratch/$configuration/descant" plugin bundle "$work/libMusicAssistantEngine.so" \
    --file Plugins/MusicAssistantPlugin/NOTICE --output "$output"
