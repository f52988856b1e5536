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

# A generic type stores a closure in a wrapper, and every access through the lock adds another wrapper, until a call of the closure overflows the
# stack. `SharedCallback`, or a structure around the closure, is not wrapped.
if grep -rnE --include='*.swift' 'Mutex<[^=]*->' Sources Plugins Samples; then
    fail "a Mutex of a closure grows with every access; use SharedCallback or a structure"
fi
