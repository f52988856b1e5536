#!/usr/bin/env bash
# Builds the release tree and prints every figure beside the players that are installed, as ratios of one run.
#
# The curves of growth come last. build/bench gets all results as JSON, and the curves as plots.
#
#   bench.sh [ARGUMENT of `descant-bench table`…]      CHECK=1 fails when a demanded ratio is missed
source "$(dirname "$0")/env.sh"

Scripts/setup.sh bench
Scripts/build.sh
swift_in Tests/MusicAssistant build -c release --product client-bench
export DESCANT_CLIENT_BENCH=$(scratch_of Tests/MusicAssistant)/release/client-bench
swift_in Tests/Integration build -c release --product SimulatedCard
export DESCANT_SIMULATED_CARD=$(scratch_of Tests/Integration)/release/libSimulatedCard.so
export DESCANT_MINIAUDIO=$scratch/miniaudio
[[ -f $DESCANT_MINIAUDIO/miniaudio.py ]] ||
    PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore \
        python3 -m pip install --quiet --target "$DESCANT_MINIAUDIO" "miniaudio==1.71" ||
    fail "the Python package miniaudio cannot be fetched; is a Python package index reachable?"
export DESCANT_SHERPA_LIBRARY=$scratch/speech/sherpa_onnx/lib/libsherpa-onnx-c-api.so DESCANT_SPEECH_MODELS=$scratch/speech/models
mkdir -p build/bench
status=0
build/bin/descant-bench table --json build/bench/table.json --markdown build/bench/table.md "$@" || status=$?
build/bin/descant-bench growth --json build/bench/growth.json --plots build/bench || status=$?
exit "$status"
