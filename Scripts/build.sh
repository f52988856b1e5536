#!/usr/bin/env bash
# Writes build/: a tree that runs from any folder, on machines without a Swift toolchain.
#
#   build/bin/…                                the sample players and tools
#   build/lib/libDescant.so                    the library
#   build/lib/descant/swift/…                  the Swift runtime libraries that the above need
#   build/lib/descant/plugins/*.descantplugin  the first-party plugins
source "$(dirname "$0")/env.sh"

Scripts/setup.sh build
Scripts/plugins.sh release build/lib/descant/plugins
swift_in Samples build -c release
swift_in Samples/MusicAssistantTool build -c release --product descant-ma
Scripts/music-assistant-engine.sh release build/lib/descant/plugins

# The executables of Samples/Package.swift that ship.
executables=()
for name in descant descant-bench; do
    [[ -x $scratch/release/$name ]] && executables+=("$name")
done

mkdir -p build/bin build/lib/descant/swift
for name in "${executables[@]}"; do
    install -m 755 "$scratch/release/$name" build/bin/
    patchelf --set-rpath '$ORIGIN/../lib:$ORIGIN/../lib/descant/swift' "build/bin/$name"
done
install -m 755 "$(scratch_of Samples/MusicAssistantTool)/release/descant-ma" build/bin/
patchelf --set-rpath '$ORIGIN/../lib/descant/swift' build/bin/descant-ma
install -m 644 "$scratch/release/libDescant.so" build/lib/
patchelf --set-rpath '$ORIGIN:$ORIGIN/descant/swift' build/lib/libDescant.so

# Everything that the tree needs and that comes with the toolchain rather than with the system.
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/lib/swift/linux
needed() {
    LD_LIBRARY_PATH=$PWD/build/lib:$toolchain ldd build/bin/* build/lib/*.so build/lib/descant/plugins/*/*.so 2>/dev/null |
        awk -v folder="$toolchain/" 'index($3, folder) == 1 { print $3 }' | sort -u
}
rm -f build/lib/descant/swift/*
needed | xargs -r install -m 644 -t build/lib/descant/swift

if ldd build/bin/* | grep -E "not found|$toolchain|$scratch"; then
    fail "the tree under build/ still reaches outside itself for the libraries above"
fi
say "build/ is ready: build/bin/descant --help"
