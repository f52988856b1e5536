#!/usr/bin/env bash
# Checks the format with the toolchain's formatter. `lint.sh --fix` formats in place.
source "$(dirname "$0")/env.sh"

folders=()
for folder in Sources Tests Plugins Samples Scripts Package.swift; do
    [[ -e $folder ]] && folders+=("$folder")
done
if [[ ${1:-} == --fix ]]; then
    swift format --in-place --parallel --recursive --configuration .swift-format "${folders[@]}"
else
    swift format lint --strict --parallel --recursive --configuration .swift-format "${folders[@]}"
fi
