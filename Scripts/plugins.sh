#!/usr/bin/env bash
# Builds the first-party plugins and writes their bundles.
#
#   plugins.sh CONFIGURATION FOLDER      for instance: plugins.sh release build/lib/descant/plugins
source "$(dirname "$0")/env.sh"
configuration=${1:-release}
output=${2:-build/lib/descant/plugins}

# The libraries among the products of Plugins/Package.swift: each is one bundle.
plugin_products() {
    sed -nE 's/^ *\.library\(name: "([^"]+)", type: \.dynamic.*/\1/p' Plugins/Package.swift
}

# companions NAME: the arguments for the files and helpers that Plugins/NAME/bundle.txt adds to the bundle.
companions() {
    [[ -f Plugins/$1/bundle.txt ]] || return 0
    local kind name libraries
    while read -r kind name libraries; do
        case $kind in
            file) printf -- '--file\nPlugins/%s/%s\n' "$1" "$name" ;;
            program) printf -- '--file\n%s\n' "$(helper "$name" "$libraries")" ;;
        esac
    done <"Plugins/$1/bundle.txt"
}

# Helpers are C programs, built without SwiftPM because it would link the Swift runtime. They start in milliseconds.
helper() {
    local flags=()
    [[ -z $2 ]] || read -r -a flags <<<"$(pkg-config --cflags --libs $2)"
    "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -std=c17 -O2 -Wall -Wextra -Werror \
        -o "$work/$1" "Plugins/Helpers/$1.c" "${flags[@]}" || fail "the helper $1 cannot be built"
    printf '%s\n' "$work/$1"
}

# A shipped bundle finds the libraries beside it and the Swift runtime of the tree.
with_shipped_paths() {
    cp "$1" "$work/"
    patchelf --set-rpath '$ORIGIN:$ORIGIN/../../swift' "$work/$(basename "$1")"
    printf '%s\n' "$work/$(basename "$1")"
}

Scripts/setup.sh build
swift_in Plugins build -c "$configuration"
swift_in Samples build -c "$configuration" --product descant

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"
for product in $(plugin_products); do
    rm -rf "${output:?}/$product.descantplugin"
    companions "$product" >"$work/files"
    mapfile -t files <"$work/files"
    "$scratch/$configuration/descant" plugin bundle \
        "$(with_shipped_paths "$scratch/$configuration/lib$product.so")" "${files[@]}" --output "$output"
done
