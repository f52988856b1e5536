#!/usr/bin/env python3
"""Writes a model that sherpa-onnx takes for a VITS voice, and that "speaks" in tones.

Nothing is trained or downloaded. Every letter is a tone of three frames of 256 samples, every sign and space six frames of
silence, so a test can tell the sound from the text. Needs the package onnx.

  make-voice-model.py FOLDER [--speakers N]
"""
import argparse
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HOP, RATE = 256, 16000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = " .,!?;:'-"
WORDS = """a about all and apple are away be brown by cat children city day dog eight five four fox garden good hello house in is
it jumps lazy list long moon morning music nine of on one open over paper quick quiet read river seven six sky song speak
star stone story sun ten text the theory this three to tree two voice water where window with word words world yes zero"""

arguments = argparse.ArgumentParser()
arguments.add_argument("folder")
arguments.add_argument("--speakers", type=int, default=1)
options = arguments.parse_args()
os.makedirs(options.folder, exist_ok=True)

# Token 0 stands between all others and has no length.
tokens = ["_"] + list(SIGNS) + list(LETTERS)
frames = np.array([0] + [6] * len(SIGNS) + [3] * len(LETTERS), np.float32)
hertz = np.array([0] * (1 + len(SIGNS)) + [200 + 40 * k for k in range(len(LETTERS))], np.float32)
with open(os.path.join(options.folder, "tokens.txt"), "w", encoding="utf-8") as file:
    file.writelines(f"{token} {number}\n" for number, token in enumerate(tokens))
with open(os.path.join(options.folder, "lexicon.txt"), "w", encoding="utf-8") as file:
    file.writelines(f"{word} {' '.join(word)}\n" for word in sorted(set(WORDS.split())))

constants, nodes = [], []


def constant(name, value, kind):
    constants.append(numpy_helper.from_array(np.asarray(value, kind), name))


def node(kind, inputs, output, **attributes):
    nodes.append(helper.make_node(kind, inputs.split(), [output], **attributes))


for name, value, kind in [
    ("FRAMES", frames, np.float32), ("HERTZ", hertz, np.float32), ("HOP", HOP, np.float32), ("RATE", RATE, np.float32),
    ("TURN", 2 * np.pi, np.float32), ("LOUD", 0.5, np.float32), ("NONE", 1e-12, np.float32), ("ONEF", 1, np.float32),
    ("ZEROF", 0, np.float32), ("STEP", 7, np.float32), ("ZERO", 0, np.int64), ("ONE", 1, np.int64), ("FLAT", [-1], np.int64),
    ("COLUMN", [1], np.int64), ("ROW", [0], np.int64), ("SHAPE", [1, 1, -1], np.int64),
]:
    constant(name, value, kind)

# The length of every token in samples, and for every sample the token that it belongs to.
node("Reshape", "x FLAT", "ids")
node("Gather", "FRAMES ids", "plain")
node("Mul", "plain length_scale", "scaled")
node("Round", "scaled", "rounded")
node("Max", "rounded ONEF", "atleast")
node("Greater", "plain ZEROF", "sounds")
node("Where", "sounds atleast ZEROF", "lengths")
node("Mul", "lengths HOP", "samples")
node("CumSum", "samples ZERO", "ends")
node("ReduceSum", "samples ROW", "total", keepdims=0)
node("Cast", "total", "totali", to=TensorProto.INT64)
node("Max", "totali ONE", "count")
node("Range", "ZERO count ONE", "places")
node("Cast", "places", "placesf", to=TensorProto.FLOAT)
node("Unsqueeze", "placesf COLUMN", "down")
node("Unsqueeze", "ends ROW", "across")
node("GreaterOrEqual", "down across", "past")
node("Cast", "past", "pastf", to=TensorProto.FLOAT)
node("ReduceSum", "pastf COLUMN", "tokenf", keepdims=0)
node("Cast", "tokenf", "token", to=TensorProto.INT64)
node("Shape", "ids", "shape")
node("Sub", "shape COLUMN", "last")
node("Min", "token last", "within")
node("Gather", "ids within", "id")
# A tone for each letter; speakers differ in pitch.
node("Gather", "HERTZ id", "base")
node("Greater", "base ZEROF", "voiced")
node("Cast", "voiced", "gate", to=TensorProto.FLOAT)
inputs = [helper.make_tensor_value_info("x", TensorProto.INT64, [1, "N"]),
          helper.make_tensor_value_info("x_length", TensorProto.INT64, [1])]
inputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("noise_scale", "length_scale", "noise_scale_w")]
if options.speakers > 1:
    inputs.append(helper.make_tensor_value_info("sid", TensorProto.INT64, [1]))
    node("Cast", "sid", "sidf", to=TensorProto.FLOAT)
    node("Mul", "sidf STEP", "shift")
    node("Add", "base shift", "frequency")
else:
    node("Identity", "base", "frequency")
node("Mul", "frequency placesf", "cycles0")
node("Div", "cycles0 RATE", "cycles")
node("Floor", "cycles", "whole")
node("Sub", "cycles whole", "phase")
node("Mul", "phase TURN", "angle")
node("Sin", "angle", "sine")
node("Mul", "sine gate", "tones")
node("Mul", "tones LOUD", "loud")
# Every input has to be used; these add nothing that is heard.
node("Add", "noise_scale noise_scale_w", "noises")
node("Cast", "x_length", "lengthf", to=TensorProto.FLOAT)
node("Add", "noises lengthf", "rest")
node("Mul", "rest NONE", "nothing")
node("Add", "loud nothing", "all")
node("Reshape", "all SHAPE", "y")

graph = helper.make_graph(nodes, "tones", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, "T"])], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="descant")
model.ir_version = 8
for key, value in {
    "model_type": "vits", "sample_rate": RATE, "add_blank": 1, "n_speakers": options.speakers, "language": "English",
    "comment": "ljspeech", "punctuation": " ".join(SIGNS.strip()), "has_espeak": 0,
}.items():
    entry = model.metadata_props.add()
    entry.key, entry.value = key, str(value)
onnx.checker.check_model(model)
onnx.save(model, os.path.join(options.folder, "model.onnx"))
