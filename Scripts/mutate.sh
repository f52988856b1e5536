#!/usr/bin/env bash
# Opens, describes, renders and tags thousands of damaged files, in child processes that may crash.
#
#   mutate.sh [COUNT [FIRST]]      for instance: mutate.sh 100000
#
# Prints every crash, hang over 15 s, peak over 512 MB and refusal over 2 s, and ends with 1 on any. The damaged files
# stay in FOLDER (default .build/mutants); `MutationRun one` plays one of them again. CONFIGURATION is debug or release.
source "$(dirname "$0")/env.sh"
count=${1:-10000} first=${2:-0}
configuration=${CONFIGURATION:-debug}
folder=${FOLDER:-$scratch/mutants}
whole=$folder/whole
rm -rf "$folder"
mkdir -p "$whole"

Scripts/setup.sh test
bundles=${DESCANT_TEST_BUNDLES:-$scratch/bundles/$configuration}
[[ -d $bundles ]] || Scripts/plugins.sh "$configuration" "$bundles"
swift_in Samples build -c "$configuration" --product MutationRun
program=$scratch/$configuration/MutationRun

make_with_ffmpeg() { ffmpeg -v error -nostdin -y -i "$folder/tone.wav" -fflags +bitexact "${@:2}" "$whole/$1"; }

# The files have half a second of sound, so that thousands of them take minutes.
ffmpeg -v error -nostdin -y -f lavfi -i 'aevalsrc=0.4*sin(2765*t)|0.3*sin(6283*t*t):s=44100:d=0.5' \
    -metadata title=Tone -metadata artist=Two "$folder/tone.wav"
make_with_ffmpeg int16.wav -c:a pcm_s16le
make_with_ffmpeg int24.wav -c:a pcm_s24le
make_with_ffmpeg float.wav -c:a pcm_f32le
make_with_ffmpeg tone.aiff -c:a pcm_s16be -write_id3v2 1
make_with_ffmpeg tone.au -c:a pcm_s16be
make_with_ffmpeg tone.caf -c:a pcm_s16le
make_with_ffmpeg info.mp3 -c:a libmp3lame -b:a 128k
make_with_ffmpeg tone.aac -c:a aac -b:a 128k
make_with_ffmpeg aac.m4a -c:a aac -b:a 128k
make_with_ffmpeg alac.m4a -c:a alac
make_with_ffmpeg opus.mp4 -c:a libopus
make_with_ffmpeg flac.mp4 -c:a flac -strict experimental
make_with_ffmpeg flac.mka -c:a flac
make_with_ffmpeg opus.webm -c:a libopus
make_with_ffmpeg tone.wv -c:a wavpack
make_with_ffmpeg tone.tta -c:a tta
make_with_ffmpeg tone.spx -c:a libspeex -ar 16000
make_with_ffmpeg tone.wma -c:a wmav2
flac --totally-silent --output-name="$whole/tone.flac" "$folder/tone.wav"
flac --totally-silent --ogg --serial-number=7 --output-name="$whole/flac.oga" "$folder/tone.wav"
lame --quiet --tt Tone -b 128 "$folder/tone.wav" "$whole/lame.mp3"
oggenc --quiet --serial 7 -t Tone -o "$whole/tone.ogg" "$folder/tone.wav"
ffmpeg -v error -nostdin -y -i "$folder/tone.wav" -fflags +bitexact -c:a libvorbis -page_duration 50000 "$whole/pages.ogg"
opusenc --quiet --serial 7 --title Tone "$folder/tone.wav" "$whole/tone.opus"
"$program" write-dsd "$whole"
cp "$whole/tone.flac" "$folder/sound.flac"
printf '#EXTM3U\n#EXTINF:1,Tone\nsound.flac\n%s\nhttp://127.0.0.1:9/x\n' "$folder/sound.flac" >"$whole/list.m3u"
printf '\xef\xbb\xbf#EXTM3U\r\n#EXTINF:-1,T\xc3\xb6ne\r\nsound.flac\r\nfile://%s\r\n' "$folder/sound.flac" >"$whole/list.m3u8"
printf '[playlist]\nFile1=sound.flac\nTitle1=Tone\nLength1=1\nNumberOfEntries=1\nVersion=2\n' >"$whole/list.pls"
printf '<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location>%s</location></track></trackList></playlist>\n' \
    "file://$folder/sound.flac" >"$whole/list.xspf"
printf 'FILE "sound.flac" WAVE\n  TRACK 01 AUDIO\n    TITLE "Tone"\n    INDEX 01 00:00:00\n' >"$whole/list.cue"

exec nice "$program" run "$bundles" "$whole" "$folder" "$first" "$count"
