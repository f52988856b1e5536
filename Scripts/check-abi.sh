#!/usr/bin/env bash
# Compares the public API of DescantCore, down to the layout of its types, with the dump of the current plugin ABI number.
# A plugin built against another API would read the wrong memory without an error.
#
#   check-abi.sh                                 fails when the API differs from the dump
#   UPDATE_ABI=1 check-abi.sh                    writes the dump again, after the ABI number was raised
#   UPDATE_ABI=1 ABI_COMPATIBLE=1 check-abi.sh   writes it although the number stays; fails when that would break old plugins
source "$(dirname "$0")/env.sh"
dump=Scripts/plugin-abi.txt
entry=Sources/DescantCore/Plugins/PluginEntry.swift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

number=$(sed -nE 's/^ *public enum PluginEntry_abi([0-9]+)_.*/\1/p' "$entry" | sort -u)
[[ $number =~ ^[0-9]+$ ]] || fail "$entry: the entry types of all Swift releases must carry the same ABI number"

swift_in . build --target DescantCore >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "DescantCore does not build"; }
built=$(swift build --package-path "$root" --scratch-path "$scratch" --show-bin-path)
digest() {
    swift-api-digester -dump-sdk -module DescantCore -target "$(uname -m)-unknown-linux-gnu" -o "$work/$1.json" \
        -I "$built/Modules" -I Sources/CDescant/include \
        -Xcc "-fmodule-map-file=$built/CDescant.build/module.modulemap" "${@:2}" ||
        fail "swift-api-digester cannot read DescantCore"
}
digest api
digest abi -abi
{
    echo "plugin ABI $number"
    swift -swift-version 6 Scripts/dump-abi.swift "$work/api.json" "$work/abi.json" | LC_ALL=C sort -k2,2 -k1,1
} >"$work/new.txt"

if cmp -s "$dump" "$work/new.txt"; then
    say "plugin ABI $number: unchanged, $(wc -l <"$dump") lines"
    exit
fi
known=0
[[ ! -f $dump ]] || known=$(sed -n '1s/plugin ABI //p' "$dump")
if [[ ${UPDATE_ABI:-} == 1 && ${ABI_COMPATIBLE:-} == 1 && $number == "$known" ]]; then
    Scripts/abi-breaks.py "$dump" "$work/new.txt" >&2 || fail "the lines above break built plugins: raise the number in $entry"
fi
if [[ ${UPDATE_ABI:-} == 1 ]] && { ((number > known)) || [[ ${ABI_COMPATIBLE:-} == 1 ]]; }; then
    cp "$work/new.txt" "$dump"
    say "wrote $dump for plugin ABI $number"
    exit
fi
[[ ! -f $dump ]] || diff -U0 "$dump" "$work/new.txt" | grep '^[-+][^-+]' | cut -c1-160 | head -60 >&2 || true
if [[ -f $dump ]] && ! Scripts/abi-breaks.py "$dump" "$work/new.txt" >&2; then
    say "these lines break built plugins: raise the number in every name in $entry, then run 'UPDATE_ABI=1 Scripts/check-abi.sh'" >&2
else
    say "built plugins stay intact: run 'UPDATE_ABI=1 ABI_COMPATIBLE=1 Scripts/check-abi.sh', and Scripts/check-old-plugins.sh" >&2
fi
echo "error: the public API of DescantCore is not the one that $dump holds for plugin ABI $known" >&2
exit 1
