#!/usr/bin/env bash
# Builds the first-party plugins and writes their bundles.
#
#   plugins.sh CONFIGURATION FOLDER      for instance: plugins.sh release build/lib/descant/plugins
source "$(dirname "$0")/env.sh"
configuration=${1:-release}
output=${2:-build/lib/descant/plugins}

# The products of Plugins/Package.swift: each is one bundle.
plugin_products() {
    swift_in Plugins package describe |
        awk '/^[A-Z]/ { products = /^Products:/ } products && $1 == "Name:" { print $2 }'
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
    "$scratch/$configuration/descant" plugin bundle \
        "$(with_shipped_paths "$scratch/$configuration/lib$product.so")" --output "$output"
done
