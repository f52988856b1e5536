#!/usr/bin/env bash
# Writes build/: a tree that runs from any folder, on machines without a Swift toolchain.
#
#   build/bin/…                                the sample players and tools
#   build/lib/libDescant.so                    the library
#   build/lib/descant/swift/…                  the Swift runtime libraries that the above need
#   build/lib/descant/plugins/*.descantplugin  the first-party plugins
#   build/{bin,lib}/.debug/*.debug             the debug information of programs and library, where debuggers look for it
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

# ship FILE FOLDER MODE RPATH: copies a program or library without its debug information, which goes into FOLDER/.debug.
# The order matters: stripping a file that patchelf has changed may damage it.
ship() {
    local target debug
    target=$2/$(basename "$1")
    debug=$2/.debug/$(basename "$1").debug
    mkdir -p "$2/.debug"
    install -m "$3" "$1" "$target"
    objcopy --only-keep-debug "$target" "$debug"
    chmod 644 "$debug"
    strip --strip-unneeded "$target"
    objcopy --add-gnu-debuglink="$debug" "$target"
    patchelf --set-rpath "$4" "$target"
}

mkdir -p build/lib/descant/swift
for name in "${executables[@]}"; do
    ship "$scratch/release/$name" build/bin 755 '$ORIGIN/../lib:$ORIGIN/../lib/descant/swift'
done
ship "$(scratch_of Samples/MusicAssistantTool)/release/descant-ma" build/bin 755 '$ORIGIN/../lib/descant/swift'
ship "$scratch/release/libDescant.so" build/lib 644 '$ORIGIN:$ORIGIN/descant/swift'

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
