// sherpa-onnx's text-to-speech, loaded when it is first needed. Its C structures change from release to release: this knows
// those of 2.0, and loads no other.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct descant_sherpa_library descant_sherpa_library;
typedef struct descant_sherpa_voice descant_sherpa_voice;

enum { descant_sherpa_vits = 0, descant_sherpa_kokoro = 1, descant_sherpa_matcha = 2 };

/// The files of a model; NULL for those that its kind has not.
typedef struct {
    int kind;
    const char *model;
    const char *tokens;
    /// One file; for Kokoro and Matcha any number, with commas between them.
    const char *lexicon;
    const char *voices;
    const char *vocoder;
    int threads;
} descant_sherpa_model;

/// Takes samples as they are made; 0 ends the synthesis.
typedef int32_t (*descant_sherpa_receiver)(const float *samples, int32_t count, float progress, void *context);

/// Loads the library; NULL with the reason in problem.
descant_sherpa_library *descant_sherpa_open(const char *path, char *problem, size_t room);

/// Loads a model; NULL when the library refuses it. A damaged model may end the process.
descant_sherpa_voice *descant_sherpa_create(const descant_sherpa_library *library, const descant_sherpa_model *model);

void descant_sherpa_destroy(descant_sherpa_voice *voice);
int32_t descant_sherpa_sample_rate(const descant_sherpa_voice *voice);
int32_t descant_sherpa_speakers(const descant_sherpa_voice *voice);

/// Speaks; returns 0 when nothing came of it.
int descant_sherpa_generate(
    const descant_sherpa_voice *voice, const char *text, int32_t speaker, float speed, descant_sherpa_receiver receive,
    void *context);
