#!/usr/bin/env python3
"""Writes a model that sherpa-onnx takes for a neural voice, and that "speaks" in tones.

Nothing is trained or downloaded. Every letter is a tone of three frames of 256 samples, every sign and space six frames of
silence, so a test can tell the sound from the text; speakers differ by 7 Hz. Needs the package onnx.

  make-voice-model.py FOLDER [--kind vits|piper|kokoro|matcha] [--speakers N] [--rows N] [--vocoder hifigan|vocos]

VITS (of which Piper's are) makes sound of letters at once; so does Kokoro, which takes a speaker's style from voices.bin, in the row that stands for
the number of letters (--rows: how many it may be). Matcha makes frames, of which the vocoder beside it makes sound: by itself
(hifigan), or as a spectrum for sherpa-onnx to transform back (vocos; its tones are multiples of 15.625 Hz).
"""
import argparse
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HOP, RATE, WINDOW = 256, 16000, 1024
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = " .,!?;:'-"
WORDS = """a about all and apple are away be brown by cat children city day dog eight five four fox garden good hello house in is
it jumps lazy list long moon morning music nine of on one open over paper quick quiet read river seven six sky song speak
star stone story sun ten text the theory this three to tree two voice water where window with word words world yes zero"""
FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64

# The first ones stand between all others or at both ends, and have no length.
MARKS = "_^$"
TOKENS = list(MARKS) + list(SIGNS) + list(LETTERS)
FRAMES = [0] * len(MARKS) + [6] * len(SIGNS) + [3] * len(LETTERS)
HERTZ = [0] * (len(MARKS) + len(SIGNS)) + [200 + 40 * number for number in range(len(LETTERS))]


class Graph:
    """A model under construction: values by names that nobody needs to know."""

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []

    def input(self, name, kind, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def number(self, value, kind=np.float32):
        name = f"number{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def whole(self, value):
        return self.number(value, np.int64)

    def do(self, operator, *inputs, **attributes):
        name = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def output(self, name, value, *shape):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, FLOAT, shape))

    def save(self, path, metadata):
        graph = helper.make_graph(self.nodes, "tones", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="descant")
        model.ir_version = 8
        for key, value in metadata.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = key, str(value)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def places(graph, tokens, stretch, each):
    """The token at every place, and the places as numbers; each frame of a token is so many places long."""
    ids = graph.do("Reshape", tokens, graph.whole([-1]))
    plain = graph.do("Gather", graph.number(FRAMES), ids)
    stretched = graph.do("Round", graph.do("Mul", plain, stretch))
    audible = graph.do("Greater", plain, graph.number(0))
    frames = graph.do("Where", audible, graph.do("Max", stretched, graph.number(1)), graph.number(0))
    lengths = graph.do("Mul", frames, graph.number(each))
    ends = graph.do("CumSum", lengths, graph.whole(0))
    total = graph.do("ReduceSum", lengths, graph.whole([0]), keepdims=0)
    count = graph.do("Max", graph.do("Cast", total, to=INT), graph.whole(1))
    numbers = graph.do("Cast", graph.do("Range", graph.whole(0), count, graph.whole(1)), to=FLOAT)
    down, across = graph.do("Unsqueeze", numbers, graph.whole([1])), graph.do("Unsqueeze", ends, graph.whole([0]))
    passed = graph.do("Cast", graph.do("GreaterOrEqual", down, across), to=FLOAT)
    index = graph.do("Cast", graph.do("ReduceSum", passed, graph.whole([1]), keepdims=0), to=INT)
    last = graph.do("Sub", graph.do("Shape", ids), graph.whole([1]))
    return graph.do("Gather", ids, graph.do("Min", index, last)), numbers


def pitch(graph, token, speaker):
    """The frequency of every place in Hz, and 1 where it sounds, else 0."""
    base = graph.do("Gather", graph.number(HERTZ), token)
    sounds = graph.do("Cast", graph.do("Greater", base, graph.number(0)), to=FLOAT)
    return graph.do("Add", base, graph.do("Mul", speaker, graph.number(7))), sounds


def tone(graph, hertz, sounds, samples):
    """A sine of half the full scale."""
    cycles = graph.do("Div", graph.do("Mul", hertz, samples), graph.number(RATE))
    phase = graph.do("Sub", cycles, graph.do("Floor", cycles))
    sine = graph.do("Sin", graph.do("Mul", phase, graph.number(2 * np.pi)))
    return graph.do("Mul", graph.do("Mul", sine, sounds), graph.number(0.5))


def used(graph, value, *others):
    """Every input has to be used; these add nothing that is heard."""
    for other in others:
        one = graph.do("Cast", graph.do("ReduceSum", other, keepdims=0), to=FLOAT)
        value = graph.do("Add", value, graph.do("Mul", one, graph.number(1e-12)))
    return value


def text_inputs(graph):
    return graph.input("x", INT, 1, "N"), graph.input("x_length", INT, 1)


def speaker_input(graph, speakers):
    if speakers == 1:
        return graph.number(0)
    return graph.do("Cast", graph.input("sid", INT, 1), to=FLOAT)


def write_vits(folder, options):
    is_piper = options.kind == "piper"
    graph = Graph()
    tokens, length = text_inputs(graph)
    if is_piper:
        scales = graph.input("scales", FLOAT, 3)
        noise, stretch, noise_w = (graph.do("Gather", scales, graph.whole([place])) for place in range(3))
    else:
        noise, stretch, noise_w = (graph.input(name, FLOAT, 1) for name in ("noise_scale", "length_scale", "noise_scale_w"))
    speaker = speaker_input(graph, options.speakers)
    token, samples = places(graph, tokens, stretch, HOP)
    sound = used(graph, tone(graph, *pitch(graph, token, speaker), samples), noise, noise_w, length)
    graph.output("y", graph.do("Reshape", sound, graph.whole([1, 1, -1])), 1, 1, "T")
    graph.save(os.path.join(folder, "model.onnx"), {
        "model_type": "vits", "sample_rate": RATE, "add_blank": int(not is_piper), "n_speakers": options.speakers,
        "language": "English", "comment": options.kind if is_piper else "ljspeech", "punctuation": " ".join(SIGNS.strip()),
        "has_espeak": int(is_piper), "voice": "en-us",
    })


def write_kokoro(folder, options):
    graph = Graph()
    tokens, style, speed = graph.input("tokens", INT, 1, "N"), graph.input("style", FLOAT, 1, 2), graph.input("speed", FLOAT, 1)
    token, samples = places(graph, tokens, graph.do("Div", graph.number(1), speed), HOP)
    speaker = graph.do("Gather", graph.do("Reshape", style, graph.whole([-1])), graph.whole(0))
    sound = tone(graph, *pitch(graph, token, speaker), samples)
    graph.output("audio", sound, "T")
    graph.save(os.path.join(folder, "model.onnx"), {
        "model_type": "kokoro", "sample_rate": RATE, "n_speakers": options.speakers, "language": "English", "version": 2,
        "has_espeak": 0, "voice": "en-us", "style_dim": f"{options.rows},1,2",
        "speaker_names": ",".join(f"tone{number}" for number in range(options.speakers)),
    })
    styles = np.zeros((options.speakers, options.rows, 1, 2), "<f4")
    styles[..., 0] = np.arange(options.speakers)[:, None, None]
    styles.tofile(os.path.join(folder, "voices.bin"))


def write_matcha(folder, options):
    graph = Graph()
    tokens, length = text_inputs(graph)
    noise, stretch = graph.input("noise_scale", FLOAT, 1), graph.input("length_scale", FLOAT, 1)
    speaker = speaker_input(graph, options.speakers)
    token, _ = places(graph, tokens, stretch, 1)
    hertz, sounds = pitch(graph, token, speaker)
    rows = [graph.do("Reshape", row, graph.whole([1, 1, -1])) for row in (used(graph, hertz, noise, length), sounds)]
    graph.output("mel", graph.do("Concat", *rows, axis=1), 1, 2, "T")
    graph.save(os.path.join(folder, "model-steps-3.onnx"), {
        "model_type": "matcha-tts", "sample_rate": RATE, "n_speakers": options.speakers, "language": "English", "version": 1,
        "jieba": 0, "has_espeak": 1, "voice": "en-us", "pad_id": 0, "use_eos_bos": 0, "num_ode_steps": 3,
    })
    {"hifigan": write_hifigan, "vocos": write_vocos}[options.vocoder](folder)


def frame_inputs(graph):
    """The frequency and the loudness of every frame."""
    mel = graph.input("mel", FLOAT, 1, 2, "T")
    rows = graph.do("Reshape", mel, graph.whole([2, -1]))
    return [graph.do("Gather", rows, graph.whole(row), axis=0) for row in (0, 1)]


def numbers_to(graph, row, times=1):
    count = graph.do("Mul", graph.do("Size", row), graph.whole(times))
    return graph.do("Range", graph.whole(0), count, graph.whole(1))


def write_hifigan(folder):
    graph = Graph()
    hertz, sounds = frame_inputs(graph)
    samples = numbers_to(graph, hertz, HOP)
    frame = graph.do("Div", samples, graph.whole(HOP))
    hertz, sounds = (graph.do("Gather", row, frame) for row in (hertz, sounds))
    sound = tone(graph, hertz, sounds, graph.do("Cast", samples, to=FLOAT))
    graph.output("audio", graph.do("Reshape", sound, graph.whole([1, 1, -1])), 1, 1, "L")
    graph.save(os.path.join(folder, "hifigan_tones.onnx"), {"model_type": "hifigan", "sample_rate": RATE})


def write_vocos(folder):
    graph = Graph()
    hertz, sounds = frame_inputs(graph)
    bin = graph.do("Round", graph.do("Mul", hertz, graph.number(WINDOW / RATE)))
    frame = graph.do("Cast", numbers_to(graph, hertz), to=FLOAT)
    turns = graph.do("Mul", graph.do("Mul", bin, frame), graph.number(HOP / WINDOW))
    angle = graph.do("Mul", graph.do("Sub", turns, graph.do("Floor", turns)), graph.number(2 * np.pi))
    # A sine of half the full scale, under a Hann window, has a quarter of the window's length times that in its bin.
    bins = graph.number(np.arange(WINDOW // 2 + 1).reshape(-1, 1))
    there = graph.do("Cast", graph.do("Equal", bins, bin), to=FLOAT)
    size = graph.do("Mul", graph.do("Mul", there, sounds), graph.number(0.5 * WINDOW / 4))
    everywhere = graph.number(np.ones((WINDOW // 2 + 1, 1)))
    for name, value in (
        ("mag", size), ("x", graph.do("Mul", everywhere, graph.do("Cos", angle))),
        ("y", graph.do("Mul", everywhere, graph.do("Sin", angle))),
    ):
        graph.output(name, graph.do("Unsqueeze", value, graph.whole([0])), 1, WINDOW // 2 + 1, "T")
    graph.save(os.path.join(folder, "vocos-tones.onnx"), {
        "model_type": "vocos", "sample_rate": RATE, "n_fft": WINDOW, "hop_length": HOP, "win_length": WINDOW,
        "window_type": "hann", "center": 1, "pad_mode": "reflect", "normalized": 0,
    })


def write_lexicon(options):
    # The two forms that there are: Piper's and Matcha's have bars, Kokoro's come in several files.
    bars = " ||" if options.kind in ("piper", "matcha") else ""
    name = "lexicon-us-en.txt" if options.kind == "kokoro" else "lexicon.txt"
    with open(os.path.join(options.folder, name), "w", encoding="utf-8") as file:
        file.writelines(f"{word}{bars} {' '.join(word)}\n" for word in sorted(set(WORDS.split())))
        # Words that texts write in several ways.
        file.writelines([f"don't{bars} d o n t\n", f"über{bars} u b e r\n"])
    if options.kind == "kokoro":
        with open(os.path.join(options.folder, "lexicon-zh.txt"), "w", encoding="utf-8") as file:
            file.writelines(["中 z\n", "国 g\n", "中国 z o n g\n"])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("--kind", choices=["vits", "piper", "kokoro", "matcha"], default="vits")
    arguments.add_argument("--speakers", type=int, default=1)
    arguments.add_argument("--rows", type=int, default=510)
    arguments.add_argument("--vocoder", choices=["hifigan", "vocos"], default="hifigan")
    options = arguments.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(options.folder, "tokens.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{token} {number}\n" for number, token in enumerate(TOKENS))
    write_lexicon(options)
    write = {"vits": write_vits, "piper": write_vits, "kokoro": write_kokoro, "matcha": write_matcha}
    write[options.kind](options.folder, options)


main()
