#!/usr/bin/env bash
# Feeds changed files to the parsers, guided by the code that they reach (libFuzzer), until something traps, hangs or takes too much memory.
#
#   fuzz.sh [PARSER…]    containers, playlists, books, manifest, license, remote, protocol, dsd, libav, helper, tags or mix; all of them by
#                        default, one after another
#
# `libav` reads the packets of MP3, MP4 and Ogg as the bundle for libavcodec does; nothing is decoded. `helper` reads the answers of a helper
# process. `tags` reads and changes tags; TagLib is compiled from the sources of the system's package, so that the fuzzer follows its code, too,
# and the address sanitizer checks its use of memory. `mix` decodes the files with GStreamer, and plays, moves, pauses and overlaps them in the
# mixer. There the fuzzer follows Descant's own code alone.
#
# TIME is the time for each parser in seconds, 60 by default. A parser is compiled apart from the library, from its sources alone, so that no
# other build is touched.
#
#   build/fuzz/PARSER/corpus    the inputs that reach different code; kept, so that the next run begins where this one ended
#   build/fuzz/PARSER/found     what made it fail. To see it again: SWIFT_BACKTRACE=enable=no build/fuzz/PARSER/fuzzer FILE
source "$(dirname "$0")/env.sh"
time=${TIME:-60}
[[ $time =~ ^[0-9]+$ ]] || fail "TIME is '$time'; give the seconds for each parser, for instance TIME=60"
parsers=("$@")
((${#parsers[@]})) || parsers=(containers playlists books manifest license remote protocol dsd libav helper tags mix)
folder=$root/build/fuzz
# Larger inputs reach nothing new and take longer.
limits=(-max_len=65536 -timeout=10 -rss_limit_mb=1024)
# libFuzzer notices a trap and keeps the input; the backtrace of Swift's runtime would end the program first.
export SWIFT_BACKTRACE=enable=no

sources() { find "$@" -name '*.swift' | sort; }

# Sums that overflow and indices that are out of range trap, as in a release.
flags=(-O -wmo -sanitize=fuzzer -parse-as-library -swift-version 6 -package-name descant -suppress-warnings)
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility; do flags+=(-enable-upcoming-feature "$feature"); done

# compile NAME FLAG…: the fuzzer of a parser from its sources.
compile() {
    local name=$1
    shift
    swiftc "${flags[@]}" -module-name "Fuzz_$name" -o "$folder/$name/fuzzer" "$@"
}

# compile_module NAME MODULE FLAG…: a module that the parser's sources import, into build/fuzz/NAME/modules.
compile_module() {
    local modules=$folder/$1/modules module=$2
    shift 2
    mkdir -p "$modules"
    swiftc "${flags[@]}" -I "$modules" -module-name "$module" -emit-module -emit-module-path "$modules/$module.swiftmodule" \
        -c -o "$modules/$module.o" "$@"
}

# c_module NAME MODULE FLAG…: a module of C code, which is not fuzzed, into build/fuzz/NAME/c/MODULE.
c_module() {
    local work=$folder/$1/c/$2 module=$2
    shift 2
    mkdir -p "$work"
    printf 'module %s {\n    umbrella "%s"\n    export *\n}\n' "$module" "$root/Sources/$module/include" >"$work/module.modulemap"
    (cd "$work" && "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -O2 -c -I "$root/Sources/$module/include" "$@" "$root/Sources/$module"/*.c)
}

# taglib_objects FLAG…: TagLib and what calls it, guiding and checked, into build/fuzz/tags/objects.
taglib_objects() {
    local work=$folder/tags/taglib objects=$folder/tags/objects directory file
    local compiler=("$(dirname "$(readlink -f "$(command -v swift)")")/clang++" -O1 -g -w -fsanitize=fuzzer-no-link,address -DHAVE_CONFIG_H)
    Scripts/setup.sh fuzz
    [[ -d $work/source ]] || taglib_source "$work"
    mkdir -p "$objects" "$work/include"
    printf '#define HAVE_%s 1\n' GCC_ATOMIC GCC_BYTESWAP VSNPRINTF ZLIB >"$work/include/config.h"
    printf '#define TAGLIB_WITH_%s 1\n' ASF MP4 >"$work/include/taglib_config.h"
    compiler+=(-I "$work/include" -I /usr/include/utf8cpp)
    while IFS= read -r directory; do compiler+=(-I "$directory"); done < <(find "$work/source/taglib" "$work/source/3rdparty" -type d)
    while IFS= read -r file; do
        printf '%s\0' -o "$objects/$(basename "$file").o" "$file"
    done < <(find "$work/source/taglib" -name '*.cpp') | xargs -0 -n 3 -P "$(nproc)" "${compiler[@]}" -c
    for file in Sources/CTagLibShim/*.cpp; do
        "${compiler[@]}" -std=c++17 -I Sources/CTagLibShim/include -c -o "$objects/$(basename "$file").o" "$file"
    done
}

# taglib_source FOLDER: the sources of the TagLib that the system has packaged.
taglib_source() {
    local options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/parts" -o "Dir::State::lists=$1/lists" -o APT::Sandbox::User=)
    local list
    mkdir -p "$1/parts" "$1/lists"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [[ ! -f $list ]] || sed -e 's/^Types:.*/Types: deb-src/' -e 's/^deb /deb-src /' "$list" >"$1/parts/$(basename "$list" .list).${list##*.}"
    done
    # Lists without sources are errors that do not matter.
    apt-get "${options[@]}" -q update >/dev/null 2>&1 || true
    (cd "$1" && apt-get "${options[@]}" -q source --only-source taglib >/dev/null) || fail "the sources of TagLib cannot be fetched"
    mv "$1"/taglib-*/ "$1/source"
}

build() {
    case $1 in
        containers) compile "$1" $(sources Sources/DescantContainers) Tests/DescantContainersTests/Parsers.swift Tests/Fuzz/FuzzContainers.swift ;;
        playlists)
            compile "$1" $(sources Samples/Sources/PlayerApp/Playlists) Samples/Sources/PlayerApp/Player/{PlaylistEntry,SearchText}.swift \
                Tests/Fuzz/FuzzPlaylists.swift
            ;;
        manifest)
            c_module "$1" CDescant
            compile "$1" -I "$folder/$1/c/CDescant" $(sources Sources/DescantCore) Tests/Fuzz/FuzzManifest.swift "$folder/$1"/c/*/*.o
            ;;
        books)
            compile_module "$1" Descant $(sources Sources/DescantPlayback/Speech/Segmentation)
            compile_module "$1" PlayerApp $(sources Samples/Sources/PlayerApp/Playlists) \
                Samples/Sources/PlayerApp/{Player/{PlaylistEntry,SearchText,Lyrics},Reader/{Book,BookSections}}.swift
            compile "$1" -I "$folder/$1/modules" -I Samples/Sources/CLibArchive -I Samples/Sources/CLibXML2 $(pkg-config --cflags-only-I libxml-2.0) \
                $(sources Samples/Sources/PlayerIntegration/Books | grep -v BookLoader) \
                Samples/Sources/PlayerIntegration/Files/{InputError,XSPFReader}.swift Tests/Fuzz/FuzzBooks.swift \
                "$folder/$1"/modules/*.o -larchive -lxml2
            ;;
        remote)
            c_module "$1" CDescant
            compile_module "$1" DescantCore -I "$folder/$1/c/CDescant" $(sources Sources/DescantCore)
            compile "$1" -I "$folder/$1/modules" -I "$folder/$1/c/CDescant" -I Sources/CGio $(pkg-config --cflags-only-I gio-2.0) \
                $(sources Sources/DescantDesktop/Remote/MPRIS) Sources/DescantDesktop/Remote/Bus/Bus{Object,Value,Connection,Thread,Session}.swift \
                Tests/Fuzz/FuzzRemote.swift "$folder/$1"/{c/*,modules}/*.o $(pkg-config --libs gio-2.0)
            ;;
        license)
            compile "$1" -I Samples/Sources/CSodium Samples/Sources/PlayerIntegration/Licensing/License.swift Tests/Fuzz/FuzzLicense.swift -lsodium
            ;;
        protocol)
            # The package trait is off, so that no code for the network is compiled.
            compile "$1" $(sources Sources/MusicAssistantKit) Tests/Fuzz/FuzzProtocol.swift
            ;;
        dsd)
            c_module "$1" CDescant
            compile_module "$1" Descant -I "$folder/$1/c/CDescant" $(sources Sources/DescantCore)
            compile "$1" -I "$folder/$1/modules" -I "$folder/$1/c/CDescant" $(sources Plugins/DSDDecoder | grep -v DSDPlugin) \
                Tests/Fuzz/FuzzDSD.swift "$folder/$1"/{c/*,modules}/*.o
            ;;
        libav)
            c_module "$1" CDescant
            compile_module "$1" DescantContainers $(sources Sources/DescantContainers)
            compile_module "$1" Descant -I "$folder/$1/c/CDescant" $(sources Sources/DescantCore)
            # The files that call libavcodec are left out.
            compile "$1" -I "$folder/$1/modules" -I "$folder/$1/c/CDescant" \
                $(sources Plugins/LibavDecoder | grep -vE '/(AudioCodec|Libav[A-Za-z]+)\.swift$') \
                Tests/Fuzz/FuzzLibav.swift "$folder/$1"/{c/*,modules}/*.o
            ;;
        helper)
            c_module "$1" CDescant
            compile "$1" -I "$folder/$1/c/CDescant" $(sources Sources/DescantCore) Tests/Fuzz/FuzzHelper.swift "$folder/$1"/c/*/*.o
            "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -O2 -I Sources/CDescant/include \
                -o "$folder/$1/helper" Tests/Fuzz/HostileHelper.c Sources/CDescant/HelperProcess.c -lpthread
            ;;
        tags)
            c_module "$1" CDescant
            c_module "$1" CTagLibShim
            local module
            taglib_objects
            flags+=(-sanitize=address)
            for module in DescantContainers DescantCore; do compile_module "$1" "$module" -I "$folder/$1/c/CDescant" $(sources "Sources/$module"); done
            compile "$1" -I "$folder/$1/modules" -I "$folder/$1/c/CDescant" -I "$folder/$1/c/CTagLibShim" $(sources Sources/DescantTagLib) \
                Tests/Fuzz/FuzzTags.swift "$folder/$1"/{c/*,modules,objects}/*.o -lstdc++ -lz
            ;;
        mix)
            local libraries=(gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-pbutils-1.0 libpulse alsa) module c=()
            read -r -a c <<<"$(pkg-config --cflags-only-I "${libraries[@]}")"
            c_module "$1" CDescant
            c_module "$1" CResampling
            c_module "$1" CGStreamerShim "${c[@]}"
            for module in CDescant CResampling CGStreamerShim; do c+=(-I "$folder/$1/c/$module"); done
            for module in CGStreamer CPulse CALSA; do c+=(-I "Sources/$module"); done
            for module in DescantContainers DescantCore DescantMixing; do compile_module "$1" "$module" "${c[@]}" $(sources "Sources/$module"); done
            compile "$1" -I "$folder/$1/modules" "${c[@]}" $(sources Sources/DescantGStreamer) Tests/Fuzz/FuzzMix.swift \
                "$folder/$1"/{c/*,modules}/*.o $(pkg-config --libs-only-l "${libraries[@]}")
            ;;
        *) fail "no parser is called '$1': containers, playlists, books, manifest, license, remote, protocol, dsd, libav, helper, tags or mix" ;;
    esac
}

# seeds PARSER FOLDER: the inputs that fuzzing begins with.
seeds() {
    case $1 in
        containers | libav) container_seeds "$2" ;;
        mix) sound_seeds "$2" ;;
        tags) tag_seeds "$2" ;;
        playlists) playlist_seeds "$2" ;;
        books) book_seeds "$2" ;;
        manifest) manifest_seeds "$2" ;;
        # Any bytes are a request of some type.
        remote) printf 'v\x7f\x7f\x02file:///music/a.flac\x00\x00s' >"$2/open" ;;
        license) printf 'product: descant-player\nholder: Jane Doe\nissued: 2026-01-01T00:00:00Z\nexpires: 2027-01-01T00:00:00Z' >"$2/license" ;;
        protocol) protocol_seeds "$2" ;;
        dsd) dsd_seeds "$2" ;;
        helper) helper_seeds "$2" ;;
    esac
}

# The files that the tests of the containers make, by the encoders of the system.
container_seeds() {
    local work=$folder/containers/seeds
    Scripts/setup.sh test
    swift_in . build -c debug --product Descant
    Scripts/sdk.sh debug "$work/lib"
    swiftc -swift-version 6 -package-name descant -I "$work/lib/descant/sdk" -L "$scratch/debug" -lDescant \
        -Xlinker -rpath -Xlinker "$scratch/debug" -module-name Seeds -o "$work/seeds" \
        Tests/Fuzz/Seeds/main.swift Tests/DescantContainersTests/SmallFile.swift
    "$work/seeds" "$1"
}

# A tenth of a second of noise in each format that the installed GStreamer plays.
sound_seeds() {
    local encoder
    Scripts/setup.sh test
    for encoder in pcm_s16le:wav pcm_s24be:aiff flac:flac libmp3lame:mp3 aac:m4a alac:m4a libvorbis:ogg libopus:opus libopus:mka wavpack:wv aac:adts tta:tta; do
        ffmpeg -v error -y -f lavfi -i anoisesrc=d=0.1:r=48000:a=0.3 -ac 2 -metadata title=Seed -c:a "${encoder%:*}" -f "$(format_of "${encoder#*:}")" \
            "$1/seed-${encoder/:/-}"
    done
    # A chained file: each stream has its own serial number.
    ffmpeg -v error -y -f lavfi -i anoisesrc=d=0.1:r=48000:a=0.3 -ac 2 -c:a libvorbis -serial_offset 7 -f ogg "$1/second.ogg"
    cat "$1/seed-libvorbis-ogg" "$1/second.ogg" "$1/seed-libopus-opus" >"$1/seed-chain-ogg"
    rm "$1/second.ogg"
}

# Small files of each format, tagged by mutagen. The last byte selects the file's extension, the byte before it the change of tags.
tag_seeds() {
    local file number=0
    Scripts/setup.sh test
    mkdir -p "$folder/tags/seeds"
    /usr/bin/python3 Tests/DescantTagLibTests/Support/mutagen_tool.py make "$folder/tags/seeds"
    for file in "$folder/tags/seeds"/*; do
        (cat "$file" && printf "\\x$(printf %02x $((number * 37 % 256)))\\x$(printf %02x $(tag_ending "${file##*.}"))") >"$1/$(basename "$file")"
        number=$((number + 1))
    done
}

# tag_ending EXTENSION: its number in FuzzTags.swift.
tag_ending() {
    local endings=(mp3 flac m4a ogg opus wav aiff wv ape mpc tta aac wma dsf dff oga) number
    for number in "${!endings[@]}"; do [[ ${endings[number]} != "$1" ]] || echo "$number"; done
}

# format_of EXTENSION: ffmpeg's name of a container.
format_of() {
    case $1 in
        m4a) echo mp4 ;;
        mka) echo matroska ;;
        *) echo "$1" ;;
    esac
}

playlist_seeds() {
    printf '\xef\xbb\xbf#EXTM3U\r\n#EXTINF:125,Rain, softly\r\nrain.flac\r\n../two%%20.mp3\nhttps://example.org/live\nfile:///a.wav\n' >"$1/m3u"
    printf '[playlist]\nFile1=../b.mp3\nTitle1=Two = 2\nLength1=-1\nfile10=https://example.org/live\n' >"$1/pls"
    printf 'PERFORMER "X"\nTITLE "Album"\nFILE "a b.flac" WAVE\n  TRACK 01 AUDIO\n    TITLE "One"\n    INDEX 00 00:00:00\n    INDEX 01 00:02:00\n  TRACK 02 AUDIO\n    PREGAP 00:02:00\n    INDEX 01 03:59:74\n' >"$1/cue"
}

# A book as an archive and as its documents, a page, a text, a playlist in XML, and lyrics; the first byte is the kind.
book_seeds() {
    python3 - "$1" <<'PYTHON'
import io, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
page = "<html lang='en'><head><title>T &amp; U</title></head><body><h1>One</h1><p>A <ruby>字<rt>ji</rt></ruby>. B!</p><nav>x</nav></body></html>"
documents = {
    "META-INF/container.xml": "<container><rootfiles><rootfile full-path='book/package.opf'/></rootfiles></container>",
    "book/package.opf": "<package><metadata><title>Book</title><language>en</language></metadata><manifest>"
    "<item id='n' href='contents.xhtml' properties='nav'/><item id='a' href='1.xhtml'/><item id='b' href='2.xhtml'/></manifest>"
    "<spine><itemref idref='a'/><itemref idref='b' linear='yes'/></spine></package>",
    "book/contents.xhtml": "<nav><ol><li><a href='1.xhtml#x'>First</a></li><li><a href='2.xhtml'>Second</a></li></ol></nav>",
    "book/1.xhtml": page,
    "book/2.xhtml": "<p>Last &nbsp;words.<br/>End</p>",
}
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
    for name, text in documents.items(): file.writestr(name, text)
seeds = {
    "archive": archive.getvalue(),
    "documents": b"\0".join(text.encode() for text in documents.values()),
    "page": page.encode(),
    "text": b"Chapter 1\n\nA line that was broken only because it did not fit\ninto the width.\n\n# Two\n\n    Verse one\n    verse two\n",
    "list": b"<playlist><trackList><track><location>a%20b.flac</location><title>A</title><duration>1500</duration></track></trackList></playlist>",
    "lyrics": b"[ar:X]\n[offset:250]\n[00:01.50][01:02.00]One <00:02.00> two\n[00:03]Three\n",
}
for kind, (name, data) in enumerate(seeds.items()): (folder / name).write_bytes(bytes([kind]) + data)
PYTHON
}

# A hundredth of a second of silence in both containers of DSD.
dsd_seeds() {
    python3 - "$1" <<'PYTHON'
import pathlib, struct, sys
folder = pathlib.Path(sys.argv[1])
block, channels, rate = 4096, 2, 2822400
sound = bytes([0x69]) * block * channels
form = b"fmt " + struct.pack("<QIIIIIIQII", 52, 1, 0, 2, channels, rate, 1, block * 8, block, 0)
data = b"data" + struct.pack("<Q", 12 + len(sound)) + sound
(folder / "seed.dsf").write_bytes(b"DSD " + struct.pack("<QQQ", 28, 28 + len(form) + len(data), 0) + form + data)
def chunk(name, content): return name + struct.pack(">Q", len(content)) + content
properties = b"SND " + chunk(b"FS  ", struct.pack(">I", rate)) + chunk(b"CHNL", struct.pack(">H", channels) + b"SLFTSRGT") + chunk(
    b"CMPR", b"DSD \x0enot compressed\0")
inner = b"DSD " + chunk(b"FVER", bytes([1, 5, 0, 0])) + chunk(b"PROP", properties) + chunk(b"DSD ", sound)
(folder / "seed.dff").write_bytes(chunk(b"FRM8", inner))
PYTHON
}

# Valid answers of a helper. The first byte is the service; HostileHelper.c describes the other bytes.
helper_seeds() {
    python3 - "$1" <<'PYTHON'
import json, pathlib, struct, sys
folder = pathlib.Path(sys.argv[1])
done, frames, failed, speech = range(4)
def answer(kind, first=0, second=0, number=0.0, payload=b""):
    return bytes([kind | 8]) + struct.pack("<qqdH", first, second, number, len(payload)) + payload
def shared(data): return bytes([5]) + struct.pack("<H", len(data)) + data
def text(value): return json.dumps(value).encode()
stream = answer(done, payload=struct.pack("<ddqq", 1, 48000, 2, 16))
refusal = text({"code": "decodeError", "message": "the file is damaged"})
tags = text({"tags": {"title": "A", "artists": ["B"], "year": 2000, "replayGain": {"trackGain": -6.5}, "sortNames": {},
    "musicBrainz": {"artistIDs": ["C"]}, "pictures": [{"data": "", "kind": 3, "description": ""}]},
    "lengths": [2, 1], "artwork": 1})
tags = struct.pack("<Q", len(tags)) + tags + b"xxy"
voice = answer(done, payload=text({
    "wordTiming": "exact", "cancelGranularity": "immediate", "concurrency": 1, "rateRange": [0.5, 3], "pitchRange": [0.5, 2],
    "rateControl": "synthesis", "languages": ["en"], "longestRequest": 1000}))
voices = text([{"identifier": "a", "name": "A", "languages": ["en"]}])
notes = text({"marks": [{"kind": "word", "utf8Range": [0, 3], "frame": 10, "isEstimated": False}],
    "warnings": [{"kind": "unknownWord", "utf8Range": [4, 7], "message": "left out"}]})
seeds = {
    "frames": b"\0" + stream + answer(frames, 4096) * 4 + answer(frames, 100, 1) + answer(done),
    "failure": b"\0" + stream + answer(frames, 4096, payload=refusal),
    "refused": b"\0" + answer(failed, payload=refusal),
    "tags": b"\1" + bytes([6]) + struct.pack("<H", len(tags)) + tags,
    "speech": b"\2" + voice + shared(voices) + answer(done, len(voices)) + answer(done) + answer(speech, 1000, 0, 22050, notes)
    + answer(speech, 0, 1) + answer(done),
    "files": b"\2" + voice + b"\7\4/etc" + answer(done),
}
for name, data in seeds.items(): (folder / name).write_bytes(data)
PYTHON
}

# The messages of recorded conversations with servers.
protocol_seeds() {
    python3 - "$1" Tests/MusicAssistant/Sources/MusicAssistantTestServer/Transcripts/*.jsonl <<'PYTHON'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
messages = {
    json.dumps(entry["msg"])
    for path in sys.argv[2:]
    for entry in map(json.loads, pathlib.Path(path).read_text().splitlines())
    if entry.get("dir") == "in" and "msg" in entry
}
for number, message in enumerate(sorted(messages)):
    (folder / f"message-{number}").write_text(message)
PYTHON
}

manifest_seeds() {
    local file count=0
    while IFS= read -r file; do
        count=$((count + 1))
        cp "$file" "$1/manifest-$count"
    done < <(find build/lib/descant/plugins "$scratch/bundles" -name manifest.json 2>/dev/null)
    ((count)) || printf '{"abi":5,"id":"org.example.a","license":"MIT","name":"A","provides":[],"version":"1"}' >"$1/manifest"
}

Scripts/setup.sh play
failures=0
for parser in "${parsers[@]}"; do
    # A decoder that gives nothing takes 10 s each time until it is given up.
    [[ $parser != mix ]] || limits=(-max_len=65536 -timeout=60 -report_slow_units=60 -rss_limit_mb=2048)
    mkdir -p "$folder/$parser"/{corpus,found}
    say "$parser: compiling"
    build "$parser"
    [[ -n $(ls -A "$folder/$parser/corpus") ]] || seeds "$parser" "$folder/$parser/corpus"
    say "$parser: fuzzing for $time s, beginning with $(ls "$folder/$parser/corpus" | wc -l) files"
    # Inputs that failed in earlier runs are tried first. Those that pass now are removed.
    for input in "$folder/$parser/found"/*; do
        [[ -e $input ]] || continue
        if "$folder/$parser/fuzzer" "${limits[@]}" "$input" >/dev/null 2>&1; then rm "$input"; fi
    done
    status=0
    # Playing waits more than it computes, so several processes run per processor.
    several=()
    [[ $parser != mix ]] || several=("-fork=$((8 * $(nproc)))")
    "$folder/$parser/fuzzer" "$folder/$parser/corpus" "${limits[@]}" "${several[@]}" -max_total_time="$time" \
        -artifact_prefix="$folder/$parser/found/" >"$folder/$parser/log" 2>&1 || status=$?
    grep -aE '^Done|DONE|^SUMMARY|Fatal error' "$folder/$parser/log" || tail -n 1 "$folder/$parser/log"
    ((status == 0)) || [[ -n $(ls -A "$folder/$parser/found") ]] || fail "the fuzzer ended with status $status; build/fuzz/$parser/log says why"
    for input in "$folder/$parser/found"/*; do
        [[ -e $input ]] || continue
        failures=$((failures + 1))
        printf 'found: %s\n    see it again: SWIFT_BACKTRACE=enable=no build/fuzz/%s/fuzzer %s\n' "$input" "$parser" "$input" >&2
    done
done
((failures == 0)) || fail "$failures inputs make a parser fail; fix it and keep the input as a test"
say "nothing was found"
