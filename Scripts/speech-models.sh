#!/usr/bin/env bash
# Puts sherpa-onnx (the library of its wheel) and models that speak in tones into the scratch folder, for tests and figures.
source "$(dirname "$0")/env.sh"
folder=$scratch/speech
version=2.0.1
[[ $folder/ready -nt Scripts/make-voice-model.py && $folder/ready -nt Scripts/speech-models.sh ]] && exit 0

say "sherpa-onnx $version and models of tones"
mkdir -p "$folder"
# Some systems refuse to install Python packages system-wide; these go to the folder only.
export PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
python3 -m pip install --quiet --upgrade --target "$folder" --no-deps "sherpa-onnx-core==$version" ||
    fail "the wheel sherpa-onnx-core $version cannot be fetched; is a Python package index reachable?"
python3 -m pip install --quiet --upgrade --target "$folder/python" onnx ||
    fail "the Python package onnx cannot be fetched"

rm -rf "$folder/models"
model() { PYTHONPATH=$folder/python python3 Scripts/make-voice-model.py "$folder/models/$1" "${@:2}"; }
# The first one is the default voice.
model tones-en_US
model tones-kokoro-en_US --kind kokoro --speakers 3
model tones-kokoro-short-en_US --kind kokoro --rows 40
model tones-matcha-en_US --kind matcha --speakers 3
model tones-matcha-vocos-en_US --kind matcha --vocoder vocos
model tones-piper-en_US --kind piper --speakers 2
model voices-en_GB --speakers 3

# Damaged models: sherpa-onnx crashes on some and refuses others, and some lack a file.
spoil() { cp -R "$folder/models/$2" "$folder/models/unusable-$1" && cd "$folder/models/unusable-$1"; }
(spoil cut-model tones-en_US && truncate -s 1000 model.onnx)
(spoil few-tokens tones-en_US && printf '_ 0\n' >tokens.txt)
(spoil other-tokens tones-en_US && sed -i 's/^[a-z]/&&/' tokens.txt)
(spoil tokens-of-another tones-en_US && sed -i 's/^z .*/z 99/' tokens.txt)
(spoil no-marks tones-piper-en_US && sed -i '/^[_^$]/d' tokens.txt)
(spoil unknown-operator tones-en_US && sed -i 's/CumSum/CumSim/' model.onnx)
(spoil no-lexicon tones-en_US && rm lexicon.txt)
(spoil no-tokens tones-en_US && rm tokens.txt)
(spoil no-kind tones-en_US && sed -i 's/model_type/model_tape/' model.onnx)
(spoil other-kind tones-en_US && sed -i 's/vits/pits/' model.onnx)
(spoil no-speakers tones-kokoro-en_US && rm voices.bin)
(spoil few-speakers tones-kokoro-en_US && truncate -s 1000 voices.bin)
(spoil no-vocoder tones-matcha-en_US && rm hifigan_tones.onnx)
(spoil cut-vocoder tones-matcha-en_US && truncate -s 500 hifigan_tones.onnx)
(spoil other-rate tones-matcha-en_US && sed -i 's/16000/22050/' hifigan_tones.onnx)
touch "$folder/ready"
