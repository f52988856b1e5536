#!/usr/bin/env bash
# Builds the desktop player, the media library that it shows and a voice for books, and starts it: play-desktop.sh [FILE|FOLDER|PLAYLIST|ADDRESS…]
source "$(dirname "$0")/env.sh"
Scripts/setup.sh desktop
configuration=release
say "building the desktop player (the first time takes some minutes)"
swift_in Samples/DesktopPlayer build -c "$configuration" --product descant-desktop
swift_in Samples/MediaLibrary build -c "$configuration" --product descant-library ||
    say "the media library cannot be built; what is above says why, and the player does without its page"
say "building a voice for books"
swift_in Samples build -c "$configuration" --product descant || say "without the program descant there is no voice; what is above says why"
source Scripts/voice.sh
# Relative names are those of the folder that the caller is in.
arguments=()
for argument in "$@"; do
    if [[ $argument != /* && -e $OLDPWD/$argument ]]; then argument=$OLDPWD/$argument; fi
    arguments+=("$argument")
done
exec "$scratch/$configuration/descant-desktop" "${arguments[@]}"
