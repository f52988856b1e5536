#!/usr/bin/env bash
# Builds the desktop player and the media library that it shows, nothing else, and starts it: play-desktop.sh [FILE|FOLDER|PLAYLIST|ADDRESS…]
source "$(dirname "$0")/env.sh"
Scripts/setup.sh desktop
say "building the desktop player (the first time takes some minutes)"
swift_in Samples/DesktopPlayer build -c release --product descant-desktop
swift_in Samples/MediaLibrary build -c release --product descant-library ||
    say "the media library cannot be built; what is above says why, and the player does without its page"
exec "$scratch/release/descant-desktop" "$@"
