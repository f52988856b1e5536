#!/usr/bin/env bash
# Builds the desktop player, nothing else, and starts it: play-desktop.sh [FILE|FOLDER|PLAYLIST|ADDRESS…]
source "$(dirname "$0")/env.sh"
Scripts/setup.sh desktop
say "building the desktop player (the first time takes some minutes)"
swift_in Samples/DesktopPlayer build -c release --product descant-desktop
exec "$scratch/release/descant-desktop" "$@"
