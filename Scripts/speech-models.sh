#!/usr/bin/env bash
# Puts sherpa-onnx (the library of its wheel) and models that speak in tones into the scratch folder, for tests and figures.
source "$(dirname "$0")/env.sh"
folder=$scratch/speech
version=2.0.1
[[ $folder/ready -nt Scripts/make-voice-model.py && $folder/ready -nt Scripts/speech-models.sh ]] && exit 0

say "sherpa-onnx $version and models of tones"
mkdir -p "$folder"
# Some systems protect their own Python packages; these go to the folder only.
export PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
python3 -m pip install --quiet --upgrade --target "$folder" --no-deps "sherpa-onnx-core==$version" ||
    fail "the wheel sherpa-onnx-core $version cannot be fetched; is a Python package index reachable?"
python3 -m pip install --quiet --upgrade --target "$folder/python" onnx ||
    fail "the Python package onnx cannot be fetched"

rm -rf "$folder/models"
model() { PYTHONPATH=$folder/python python3 Scripts/make-voice-model.py "$folder/models/$1" "${@:2}"; }
model tones-en_US
model voices-en_GB --speakers 3
# Two that sherpa-onnx does not survive or refuses, and one that lacks a file.
for damage in model tokens lexicon; do cp -R "$folder/models/tones-en_US" "$folder/models/damaged-$damage"; done
truncate -s 1000 "$folder/models/damaged-model/model.onnx"
printf '_ 0\n' >"$folder/models/damaged-tokens/tokens.txt"
rm "$folder/models/damaged-lexicon/lexicon.txt"
touch "$folder/ready"
