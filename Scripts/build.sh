#!/usr/bin/env bash
# Writes build/: a tree that runs from any folder, on machines without a Swift toolchain. With DESCANT_WITHOUT_MUSIC_ASSISTANT set, the
# Music Assistant tool and engine, which take minutes to compile, are left out, and those of an earlier build are removed.
#
#   build/bin/…                                the sample players and tools
#   build/share/…                              manual pages, completions for shells, licences, and the desktop player's entry in menus, its
#                                              icon and its description
#   build/lib/libDescant.so                    the library
#   build/libexec/descant/descant-plugin-host  the process that plugins run in apart from their host
#   build/lib/descant/swift/…                  the Swift runtime libraries that the above need
#   build/lib/descant/plugins/*.descantplugin  the first-party plugins
#   build/lib/descant/sdk/…                    the modules and examples for plugin authors, see sdk.sh
#   build/{bin,lib}/.debug/*.debug             the debug information of programs and library, where debuggers look for it
source "$(dirname "$0")/env.sh"

# install.sh refuses a tree without this file, which is written last.
rm -f build/.complete
Scripts/setup.sh build
Scripts/setup.sh desktop
Scripts/plugins.sh release build/lib/descant/plugins
swift_in Samples build -c release
swift_in Samples/MediaLibrary build -c release --product descant-library
swift_in Samples/DesktopPlayer build -c release --product descant-desktop
if [[ -z ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]]; then
    swift_in Samples/MusicAssistantTool build -c release --product descant-ma
    Scripts/music-assistant-engine.sh release build/lib/descant/plugins
else
    # The tool and the engine of an earlier build were linked to another library. Manual pages are all written again below.
    rm -rf build/lib/descant/plugins/MusicAssistantEngine.descantplugin
    rm -f build/bin/descant-ma build/bin/.debug/descant-ma.debug build/share/bash-completion/completions/descant-ma \
        build/share/zsh/site-functions/_descant-ma build/share/fish/vendor_completions.d/descant-ma.fish
fi

# The executables of the samples that ship.
executables=()
for name in descant descant-bench descant-library descant-desktop; do
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

# The files that the desktop's menus and file managers read.
desktop=Samples/DesktopPlayer/Desktop/org.descant.Player
install -D -m 644 "$desktop.desktop" -t build/share/applications
install -D -m 644 "$desktop.svg" -t build/share/icons/hicolor/scalable/apps
install -D -m 644 "$desktop.metainfo.xml" -t build/share/metainfo

mkdir -p build/lib/descant/swift
for name in "${executables[@]}"; do
    ship "$scratch/release/$name" build/bin 755 '$ORIGIN/../lib:$ORIGIN/../lib/descant/swift'
done
[[ -n ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]] ||
    ship "$(scratch_of Samples/MusicAssistantTool)/release/descant-ma" build/bin 755 '$ORIGIN/../lib/descant/swift'
ship "$scratch/release/descant-plugin-host" build/libexec/descant 755 '$ORIGIN/../../lib:$ORIGIN/../../lib/descant/swift'
ship "$scratch/release/libDescant.so" build/lib 644 '$ORIGIN:$ORIGIN/descant/swift'
Scripts/sdk.sh release build/lib

# The libraries of the toolchain that the tree needs. The system has the others.
toolchain=$(toolchain_folder)
runtime=$toolchain/lib/swift/linux
needed() {
    LD_LIBRARY_PATH=$PWD/build/lib:$runtime ldd build/bin/* build/libexec/descant/* build/lib/*.so build/lib/descant/plugins/*/*.so 2>/dev/null |
        awk -v folder="$runtime/" 'index($3, folder) == 1 { print $3 }' | sort -u
}
rm -f build/lib/descant/swift/*
needed | xargs -r install -m 644 -t build/lib/descant/swift

if ldd build/bin/* build/libexec/descant/* | grep -E "not found|$runtime|$scratch"; then
    fail "the tree under build/ still reaches outside itself for the libraries above"
fi

# Manual pages, and completions for shells, of every program with an argument parser.
version=$(release_version)
rm -rf build/share/man
others=("library=Keeps a library of music: folders, tags and play counts.")
[[ ! -x build/bin/descant-ma ]] || others+=("ma=Controls the players of a Music Assistant server.")
for program in descant descant-library descant-ma; do
    [[ -x build/bin/$program ]] || continue
    "build/bin/$program" --experimental-dump-help | Scripts/man-pages.py build/share/man/man1 "$version"
    # The completions of descant-library name the program "descant library", but the name of a shell's function cannot have a space.
    completion() {
        install -D -m 644 <("build/bin/$program" --generate-completion-script "$1" | complete_others "$1") "build/share/$2"
    }
    # descant completes what follows "descant library", too.
    complete_others() {
        if [[ $program == descant ]]; then
            Scripts/complete-programs.sh "$1" "${others[@]}"
        else
            sed "s/${program/-/ }/$program/g"
        fi
    }
    completion bash "bash-completion/completions/$program"
    completion zsh "zsh/site-functions/_$program"
    completion fish "fish/vendor_completions.d/$program.fish"
done
install -D -m 644 "$(dirname "$desktop")/descant-desktop.1" -t build/share/man/man1
install -D -m 644 README.md CHANGELOG.md LICENSE NOTICE THIRD-PARTY-NOTICES.md -t build/share/doc/descant

# The licences of the packages that programs and plugins contain, and of the Swift runtime.
licences=build/share/doc/descant/licenses
rm -rf "$licences"
for package in "$scratch"/checkouts/* "$scratch"/music-assistant/checkouts/*; do
    for text in "$package"/LICENSE* "$package"/NOTICE*; do
        [[ ! -f $text ]] || install -D -m 644 "$text" "$licences/$(basename "$package")/$(basename "$text")"
    done
    # Licences of the code that a package has copied, such as SwiftNIO's parser of HTTP.
    for text in "$package"/Sources/*/LICENSE*; do
        [[ ! -f $text ]] || install -D -m 644 "$text" "$licences/$(basename "$(dirname "$text")")/$(basename "$text")"
    done
done
install -D -m 644 "$toolchain/share/swift/LICENSE.txt" -t "$licences/swift"

touch build/.complete
say "build/ is ready: build/bin/descant --help"
