#!/usr/bin/env bash
# Copies the tree that build.sh wrote: install.sh PREFIX. DESTDIR is put before PREFIX, for packagers.
source "$(dirname "$0")/env.sh"
prefix=${1:?usage: install.sh PREFIX}
[[ -x build/bin/descant ]] || fail "nothing to install yet: run make build"

target=${DESTDIR:-}$prefix
mkdir -p "$target/bin" "$target/lib"
cp -R build/bin/. "$target/bin/"
cp -R build/lib/. "$target/lib/"
say "installed in $target"
