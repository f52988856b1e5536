#!/usr/bin/env bash
# Builds the documentation into build/docs, and that of the Music Assistant client into build/docs-music-assistant. Warnings are
# errors, and undocumented public symbols fail.
source "$(dirname "$0")/env.sh"

modules=(Descant DescantCore DescantDesktop DescantGStreamer DescantPlayback DescantTagLib DescantTesting)
# The minimum share of documented public symbols, in percent. The core is the API of plugin authors and has no gap.
coverage() { [[ $1 == DescantCore ]] && echo 100 || echo 95; }

# lead_to FOLDER MODULE: redirects the root page of an archive to its module. The page that DocC writes there is empty.
lead_to() {
    local page=documentation/$2/
    [[ -f $1/${page}index.html ]] || fail "$1 has no $page"
    printf '<!doctype html><meta charset="utf-8"><title>Documentation</title><meta http-equiv="refresh" content="0; url=%s"><a href="%s">%s</a>\n' \
        "$page" "$page" "Documentation" >"$1/index.html"
}

Scripts/setup.sh play
swift_in . build -c debug --product Descant
graphs=$scratch/symbol-graphs
rm -rf "$graphs"
mkdir -p "$graphs"
triple=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
# The C modules that the Swift modules were built with.
c_flags=(-fmodule-map-file=Sources/CGStreamer/module.modulemap $(pkg-config --cflags gstreamer-app-1.0 gstreamer-pbutils-1.0)
    -fmodule-map-file=Sources/CALSA/module.modulemap
    -fmodule-map-file=Sources/CPulse/module.modulemap
    -fmodule-map-file=Sources/CGio/module.modulemap $(pkg-config --cflags gio-2.0))
for module in CDescant CGStreamerShim CResampling CTagLibShim; do
    c_flags+=("-fmodule-map-file=$scratch/debug/$module.build/module.modulemap" "-ISources/$module/include")
done
clang_flags=()
for flag in "${c_flags[@]}"; do clang_flags+=(-Xcc "$flag"); done
for module in "${modules[@]}"; do
    swift-symbolgraph-extract -module-name "$module" -target "$triple" -I "$scratch/debug/Modules" \
        "${clang_flags[@]}" -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    swift Scripts/check-doc-coverage.swift "$module" "$graphs/$module.symbols.json" "$(coverage "$module")"
done

# `import Descant` gives a host everything, so the documentation shows one module of that name.
sed -i -E 's/("module":\{"name":)"Descant[A-Za-z]*"/\1"Descant"/' "$graphs"/*.symbols.json
mkdir -p build
docc convert Sources/Descant/Descant.docc --additional-symbol-graph-dir "$graphs" --output-path build/docs \
    --fallback-display-name Descant --fallback-bundle-identifier org.descant.Descant --warnings-as-errors

# Every type stands under a topic of the catalogue, and so does every member of a type with a file in Topics; the name of the entry point changes
# with the ABI, and an operator is found by its type.
check_topics() {
    local unsorted
    unsorted=$(python3 - "build/docs/data/documentation/$1.json" <<'PYTHON'
import json, sys
page = json.load(open(sys.argv[1]))
for section in page["topicSections"]:
    for identifier in section["identifiers"] if section.get("generated") else []:
        title = page["references"][identifier]["title"]
        if not title.startswith(("PluginEntry_", "~")) and not identifier.endswith("-Implementations"): print(title)
PYTHON
    )
    [[ -z $unsorted ]] || fail "no topic in Sources/Descant/Descant.docc/$2 has: "$unsorted
}
check_topics descant Descant.md
for file in Sources/Descant/Descant.docc/Topics/*.md; do
    name=$(basename "$file" .md)
    check_topics "descant/${name,,}" "Topics/$name.md"
done

# The client library is a module that apps import without Descant, so it has an archive of its own.
swift_in Tests/MusicAssistant build -c debug --target RemotePlayers
client=$(scratch_of Tests/MusicAssistant)
rm -rf "$graphs"
mkdir -p "$graphs"
c_flags=()
for map in "$client"/debug/CNIO*.build/module.modulemap "$client"/checkouts/swift-{nio,nio-ssl,atomics}/Sources/*/include/module.modulemap; do
    [[ ! -e $map ]] || c_flags+=(-Xcc "-fmodule-map-file=$map")
done
for module in MusicAssistantKit MusicAssistantTLS; do
    swift-symbolgraph-extract -module-name "$module" -target "$triple" -I "$client/debug/Modules" "${c_flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    swift Scripts/check-doc-coverage.swift "$module" "$graphs/$module.symbols.json" 100
done
docc convert --additional-symbol-graph-dir "$graphs" --output-path build/docs-music-assistant \
    --fallback-display-name MusicAssistantKit --fallback-bundle-identifier org.descant.MusicAssistantKit --warnings-as-errors
lead_to build/docs descant
lead_to build/docs-music-assistant musicassistantkit
say "documentation: build/docs, build/docs-music-assistant"
say "to read it: python3 -m http.server --bind 127.0.0.1 --directory build/docs, then http://127.0.0.1:8000"
