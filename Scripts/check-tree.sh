#!/usr/bin/env bash
# Builds and installs the tree, then uses it from another folder in an environment without a toolchain, as a user would.
source "$(dirname "$0")/env.sh"

Scripts/setup.sh test
Scripts/build.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
Scripts/install.sh "$prefix"
mkdir "$work/home" "$work/elsewhere"
cd "$work/elsewhere"

# installed PROGRAM [ARGUMENT…]: runs a program without variables of this environment and without a sound server.
installed() {
    local program=$1
    shift
    env -i PATH=/usr/bin:/bin HOME="$work/home" LC_ALL=C.UTF-8 PULSE_SERVER=unix:/nonexistent "$prefix/bin/$program" "$@"
}

# expect WORDS PROGRAM [ARGUMENT…]: fails unless the output contains the words.
expect() {
    local words=$1 output
    shift
    output=$(installed "$@" 2>&1) || fail "$* ended with status $?: $output"
    grep -qF -- "$words" <<<"$output" || fail "$* does not say \"$words\": $output"
}

for file in "$prefix"/bin/* "$prefix"/lib/*.so "$prefix"/lib/descant/plugins/*/*.so; do
    # A plugin takes the library of the program that loads it.
    libraries=$(env -i ldd "$file" | grep -v 'libDescant.so => not found')
    if grep -E 'not found' <<<"$libraries"; then fail "$file lacks the libraries above"; fi
    if grep -E 'libswift|libDescant|libFoundation|libdispatch' <<<"$libraries" | grep -vF "=> $prefix/"; then
        fail "$file takes the libraries above from outside of the installed tree"
    fi
done

# A bundle that is linked to a library of others, or contains one, has its notice.
for bundle in "$prefix"/lib/descant/plugins/*.descantplugin; do
    others=$(readelf -d "$bundle"/lib*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libDescant|libswift|lib_?Foundation|libdispatch|libBlocksRuntime|lib_FoundationICU|libc\.|libm\.|libgcc_s|libstdc\+\+|ld-)' || true)
    [[ -z $others && $bundle != *MusicAssistant* || -s $bundle/NOTICE ]] || fail "$(basename "$bundle") has no NOTICE, and is linked to:" $others
done

gst-launch-1.0 -q audiotestsrc num-buffers=50 ! audio/x-raw,rate=44100,channels=2 ! flacenc ! filesink location=tone.flac
expect "descant play --demo" descant --help
[[ -n ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]] || expect "descant ma connect" descant ma --help
# Without a sound server the doctor ends with 1. It lists the elements that are installed.
output=$(installed descant doctor 2>&1) && fail "descant doctor misses no sound server: $output"
grep -qF audiomixer <<<"$output" || fail "descant doctor does not say \"audiomixer\": $output"
expect "$prefix/lib/descant/plugins" descant plugins
expect '"decoder" : "flac' descant info --json tone.flac
expect '"sampleRate" : 44100' descant render --json --output tone.wav tone.flac
expect "out_s=" descant-bench decode tone.flac null 48000
# The entry of the menus names a program that is there, and the description names the entry.
entry=$prefix/share/applications/org.descant.Player.desktop
desktop-file-validate "$entry" || fail "$entry is not valid"
[[ -x $prefix/bin/$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' "$entry") ]] || fail "$entry names a program that is not installed"
[[ -s $prefix/share/icons/hicolor/scalable/apps/$(sed -n 's/^Icon=//p' "$entry").svg ]] || fail "$entry names an icon that is not installed"
appstreamcli validate --no-net "$prefix/share/metainfo/org.descant.Player.metainfo.xml" >/dev/null || fail "the description is not valid"
output=$(installed descant-desktop 2>&1) && fail "descant-desktop needs no display: $output"
grep -qF 'no display' <<<"$output" || fail "descant-desktop does not say that there is no display: $output"
# Each program has a manual page without mistakes, and each shell a completion that it can read.
programs=(descant descant-library descant-desktop)
[[ -n ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]] || programs+=(descant-ma)
for program in "${programs[@]}"; do [[ -s $prefix/share/man/man1/$program.1 ]] || fail "$program has no manual page"; done
for manual in "$prefix"/share/man/man1/*.1; do
    mistakes=$(groff -k -man -Tutf8 -ww -z "$manual" 2>&1)
    [[ -z $mistakes ]] || fail "$manual: $mistakes"
done
grep -qF -- '--crossfade' <(groff -k -man -Tascii "$prefix/share/man/man1/descant-play.1") || fail "descant-play(1) names no option"
for file in "$prefix"/share/bash-completion/completions/*; do bash -n "$file" || fail "bash cannot read $file"; done
for file in "$prefix"/share/zsh/site-functions/*; do zsh -n "$file" || fail "zsh cannot read $file"; done
for file in "$prefix"/share/fish/vendor_completions.d/*; do fish --no-execute "$file" || fail "fish cannot read $file"; done
# completed_by SHELL PROGRAM BEGINNING WORD: fails unless the shell completes the beginning of the program's command, or of a file's name.
completed_by() {
    local shell=$1 program=$2 beginning=$3 word=$4 line="$2 $3" completed
    case $shell in
        bash)
            completed=$(PATH=$prefix/bin:$PATH bash -c "
                source '$prefix/share/bash-completion/completions/$program'
                cd '$work'
                COMP_WORDS=($line) COMP_CWORD=$(wc -w <<<"$beginning") COMP_LINE='$line' COMP_POINT=${#line}
                _$program $program \"\${COMP_WORDS[-1]}\" \"\${COMP_WORDS[-2]}\"
                printf '%s\n' \"\${COMPREPLY[@]}\"")
            ;;
        fish)
            completed=$(PATH=$prefix/bin:$PATH HOME=$work/home XDG_DATA_DIRS=$prefix/share:/usr/share fish -c "
                source '$prefix/share/fish/vendor_completions.d/$program.fish'
                cd '$work'
                complete -C '$line'" | cut -f 1)
            ;;
    esac
    grep -qx -- "$word" <<<"$completed" || fail "$shell completes \"$line\" with: $completed"
}
touch "$work/song.flac"
for shell in bash fish; do
    completed_by "$shell" descant pl play
    completed_by "$shell" descant "tags so" song.flac
    completed_by "$shell" descant "render --output so" song.flac
    completed_by "$shell" descant-library se search
    completed_by "$shell" descant li library
    completed_by "$shell" descant "library se" search
    completed_by "$shell" descant "library list --ge" --genre
    [[ -n ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]] || completed_by "$shell" descant-ma pla players
done
grep -qF "'library:" "$prefix/share/zsh/site-functions/_descant" || fail "zsh does not complete descant library"
for program in descant descant-library; do
    [[ -s $prefix/share/zsh/site-functions/_$program ]] || fail "zsh has no completion for $program"
done
for text in LICENSE NOTICE THIRD-PARTY-NOTICES.md; do
    cmp -s "$root/$text" "$prefix/share/doc/descant/$text" || fail "share/doc/descant/$text is not that of the sources"
done
# The tree has the licence of each package that is linked into a program.
contained=(swift swift-argument-parser swift-log GRDB.swift)
[[ -n ${DESCANT_WITHOUT_MUSIC_ASSISTANT:-} ]] || contained+=(swift-nio swift-nio-ssl CNIOLLHTTP)
for package in "${contained[@]}"; do
    compgen -G "$prefix/share/doc/descant/licenses/$package/LICENSE*" >/dev/null || fail "share/doc/descant/licenses lacks $package"
done
[[ $(installed descant --version) == "$(release_version)" ]] || fail "descant --version is not $(release_version)"
[[ $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --modversion descant) == "$(release_version)" ]] ||
    fail "descant.pc has another version than descant --version"
for engine in espeak flite; do expect "rtf_sentence=" descant-bench speech length "$engine" 1; done
[[ -s tone.wav ]] || fail "descant render wrote nothing"
say "the installed tree works from $PWD"
