#include "include/CSherpa.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The structures of sherpa-onnx 2.0, by their layout: texts and numbers in the order of its C API.
struct vits { const char *model, *lexicon, *tokens, *data; float noise, noise_w, length; const char *dict; };
struct matcha { const char *model, *vocoder, *lexicon, *tokens, *data; float noise, length; const char *dict; };
struct kokoro { const char *model, *voices, *tokens, *data; float length; const char *dict, *lexicon, *language; };
struct kitten { const char *model, *voices, *tokens, *data; float length; const char *lexicon; };
struct zipvoice { const char *files[6]; float numbers[4]; };
struct pocket { const char *files[7]; int32_t cache; };
struct supertonic { const char *files[7]; };
struct configuration {
    struct vits vits;
    int32_t threads, debug;
    const char *provider;
    struct matcha matcha;
    struct kokoro kokoro;
    struct kitten kitten;
    struct zipvoice zipvoice;
    struct pocket pocket;
    struct supertonic supertonic;
    const char *rule_fsts;
    int32_t sentences_at_once;
    const char *rule_fars;
    float silence_scale;
};
struct generation {
    float silence_scale, speed;
    int32_t speaker;
    const float *reference;
    int32_t reference_length, reference_rate;
    const char *reference_text;
    int32_t steps;
    const char *extra;
    const int32_t *codepoints, *codepoint_counts;
    int32_t codepoint_sentences;
    const char *const *tokens;
    const int32_t *token_counts;
    int32_t token_sentences;
};
struct audio { const float *samples; int32_t count, sample_rate; };

_Static_assert(sizeof(void *) != 8 || sizeof(struct configuration) == 456, "the configuration of sherpa-onnx 2.0");
_Static_assert(sizeof(void *) != 8 || offsetof(struct configuration, sentences_at_once) == 432, "its sentences at once");
_Static_assert(sizeof(void *) != 8 || sizeof(struct generation) == 104, "the generation of sherpa-onnx 2.0");

struct descant_sherpa_library {
    const void *(*create)(const struct configuration *);
    void (*destroy)(const void *);
    int32_t (*sample_rate)(const void *);
    int32_t (*speakers)(const void *);
    const struct audio *(*generate)(
        const void *, const char *, const struct generation *, descant_sherpa_receiver, void *);
    void (*free_audio)(const struct audio *);
};

struct descant_sherpa_voice {
    const descant_sherpa_library *library;
    const void *handle;
};

static void *refuse(void *handle, char *problem, size_t room, const char *what, const char *detail) {
    snprintf(problem, room, "%s%s", what, detail ? detail : "");
    if (handle) dlclose(handle);
    return NULL;
}

descant_sherpa_library *descant_sherpa_open(const char *path, char *problem, size_t room) {
    // Local: the symbols that it brings along must not be found by anybody else.
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return refuse(NULL, problem, room, "", dlerror());
    const char *(*version)(void) = (const char *(*)(void))dlsym(handle, "SherpaOnnxGetVersionStr");
    if (!version) return refuse(handle, problem, room, "it is not sherpa-onnx: no SherpaOnnxGetVersionStr", NULL);
    if (strncmp(version(), "2.0.", 4) != 0) {
        return refuse(handle, problem, room, "sherpa-onnx 2.0 is needed, as its C structures change; this is ", version());
    }
    descant_sherpa_library *library = calloc(1, sizeof *library);
    if (!library) return refuse(handle, problem, room, "out of memory", NULL);
    const struct { void **place; const char *name; } symbols[] = {
        {(void **)&library->create, "SherpaOnnxCreateOfflineTts"},
        {(void **)&library->destroy, "SherpaOnnxDestroyOfflineTts"},
        {(void **)&library->sample_rate, "SherpaOnnxOfflineTtsSampleRate"},
        {(void **)&library->speakers, "SherpaOnnxOfflineTtsNumSpeakers"},
        {(void **)&library->generate, "SherpaOnnxOfflineTtsGenerateWithConfig"},
        {(void **)&library->free_audio, "SherpaOnnxDestroyOfflineTtsGeneratedAudio"},
    };
    for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        *symbols[index].place = dlsym(handle, symbols[index].name);
        if (!*symbols[index].place) {
            free(library);
            return refuse(handle, problem, room, "it has no ", symbols[index].name);
        }
    }
    return library;
}

descant_sherpa_voice *descant_sherpa_create(const descant_sherpa_library *library, const descant_sherpa_model *model) {
    struct configuration configuration = {
        .threads = model->threads, .provider = "cpu", .sentences_at_once = 1, .silence_scale = 1};
    if (model->kind == descant_sherpa_kokoro) {
        configuration.kokoro = (struct kokoro){
            .model = model->model, .voices = model->voices, .tokens = model->tokens, .lexicon = model->lexicon, .length = 1};
    } else if (model->kind == descant_sherpa_matcha) {
        configuration.matcha = (struct matcha){
            .model = model->model, .vocoder = model->vocoder, .lexicon = model->lexicon, .tokens = model->tokens,
            .noise = 0.667f, .length = 1};
    } else {
        configuration.vits = (struct vits){
            .model = model->model, .lexicon = model->lexicon, .tokens = model->tokens, .noise = 0.667f, .noise_w = 0.8f,
            .length = 1};
    }
    const void *handle = library->create(&configuration);
    if (!handle) return NULL;
    descant_sherpa_voice *voice = malloc(sizeof *voice);
    if (!voice) {
        library->destroy(handle);
        return NULL;
    }
    *voice = (descant_sherpa_voice){library, handle};
    return voice;
}

void descant_sherpa_destroy(descant_sherpa_voice *voice) {
    voice->library->destroy(voice->handle);
    free(voice);
}

int32_t descant_sherpa_sample_rate(const descant_sherpa_voice *voice) { return voice->library->sample_rate(voice->handle); }
int32_t descant_sherpa_speakers(const descant_sherpa_voice *voice) { return voice->library->speakers(voice->handle); }

int descant_sherpa_generate(
    const descant_sherpa_voice *voice, const char *text, int32_t speaker, float speed, descant_sherpa_receiver receive,
    void *context) {
    // Pauses stay as the model makes them: shortened ones would not keep to the rate, and words would be elsewhere.
    struct generation generation = {.silence_scale = 1, .speed = speed, .speaker = speaker};
    const struct audio *audio = voice->library->generate(voice->handle, text, &generation, receive, context);
    if (!audio) return 0;
    voice->library->free_audio(audio);
    return 1;
}
