#!/usr/bin/env bash
# Copies the tree that build.sh wrote: install.sh PREFIX. DESTDIR is put before PREFIX, for packagers.
source "$(dirname "$0")/env.sh"
# Not every shell replaces the tilde in PREFIX=~/.local.
prefix=${1:?usage: install.sh PREFIX}
prefix=${prefix/#\~\//$HOME/}
[[ $prefix == /* ]] || fail "PREFIX is '$prefix'; name a whole path, such as $HOME/.local"
[[ -e build/.complete ]] || fail "nothing to install yet, or its build was interrupted: run make build"

# Every user can read the tree, whatever the umask of the build was.
umask 022
chmod -R u+rwX,go+rX build/{bin,lib,libexec,share}
target=${DESTDIR:-}$prefix
mkdir -p "$target/bin" "$target/lib" "$target/libexec" "$target/share"
# Files are replaced rather than overwritten, so that running programs keep the old ones.
for folder in bin lib libexec share; do cp -R --remove-destination "build/$folder/." "$target/$folder/"; done
# Packagers run these two after the installation; without them the desktop finds the app some time later.
if [[ -z ${DESTDIR:-} ]]; then
    if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$target/share/applications" || true; fi
    if command -v gtk4-update-icon-cache >/dev/null; then gtk4-update-icon-cache -qtf "$target/share/icons/hicolor" || true; fi
fi
say "installed in $target"
