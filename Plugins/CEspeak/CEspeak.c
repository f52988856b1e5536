#include "include/CEspeak.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The C interface of espeak-ng 1, by its layout: no header of the library is used.
struct event {
    int type;
    unsigned identifier;
    int text_position, length, audio_position, sample;
    void *user_data;
    union {
        int number;
        const char *name;
        char string[8];
    } id;
};
struct voice {
    const char *name, *languages, *identifier;
    unsigned char gender, age, variant, reserved;
    int score;
    void *spare;
};
typedef int (*hearer)(short *samples, int count, struct event *events);

enum { event_list_end = 0, event_word = 1 };
enum { output_synchronous = 2, initialize_without_exit = 0x8000, buffer_milliseconds = 100 };
enum { parameter_rate = 1, parameter_pitch = 3, position_character = 1, text_is_utf8 = 1 };

_Static_assert(sizeof(void *) != 8 || sizeof(struct event) == 40, "an event of espeak-ng 1");
_Static_assert(sizeof(void *) != 8 || sizeof(struct voice) == 40, "a voice of espeak-ng 1");

struct descant_espeak {
    void *handle;
    char path[4096];
    int sample_rate;
    int (*initialize)(int output, int buffer, const char *path, int options);
    void (*set_callback)(hearer);
    const struct voice **(*list_voices)(struct voice *);
    int (*set_voice)(const char *name);
    int (*set_parameter)(int parameter, int value, int is_relative);
    int (*synthesize)(const void *text, size_t size, unsigned position, int kind, unsigned end, unsigned flags,
                      unsigned *identifier, void *user_data);
    int (*terminate)(void);
};

// What is spoken: the callback of espeak-ng has no pointer of its own. There is one library at a time, and one text.
static struct {
    descant_espeak_receiver receive;
    void *context;
    int sample_rate;
    int is_cancelled;
} speech;

// Whether a library could not be unloaded. It would not find its memory as it expects it, and might hang.
static int is_stuck;

static descant_espeak *refuse(descant_espeak *library) {
    if (library->handle) dlclose(library->handle);
    free(library);
    return NULL;
}

// The libraries that espeak-ng brings along for sound devices take longer to load than itself, and keep nothing of what is spoken.
static void keep_dependencies(void) {
    static int is_done;
    static const char *const names[] = {"libpcaudio.so.0", "libsonic.so.0"};
    if (is_done) return;
    is_done = 1;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) dlopen(names[index], RTLD_NOW | RTLD_NOLOAD);
}

descant_espeak *descant_espeak_open(const char *path, const char *data, char *problem, size_t room) {
    descant_espeak *library = calloc(1, sizeof *library);
    if (!library) {
        snprintf(problem, room, "out of memory");
        return NULL;
    }
    if (is_stuck) {
        snprintf(problem, room, "%s cannot be unloaded, and speaks only once", path);
        return refuse(library);
    }
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(library->path, sizeof library->path, "%s", path);
    if (!library->handle) {
        snprintf(problem, room, "%s", dlerror());
        return refuse(library);
    }
    keep_dependencies();
    const struct { void **place; const char *name; } symbols[] = {
        {(void **)&library->initialize, "espeak_Initialize"},
        {(void **)&library->set_callback, "espeak_SetSynthCallback"},
        {(void **)&library->list_voices, "espeak_ListVoices"},
        {(void **)&library->set_voice, "espeak_SetVoiceByName"},
        {(void **)&library->set_parameter, "espeak_SetParameter"},
        {(void **)&library->synthesize, "espeak_Synth"},
        {(void **)&library->terminate, "espeak_Terminate"},
    };
    for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        *symbols[index].place = dlsym(library->handle, symbols[index].name);
        if (*symbols[index].place) continue;
        snprintf(problem, room, "%s is not espeak-ng: it has no %s", path, symbols[index].name);
        return refuse(library);
    }
    library->sample_rate = library->initialize(output_synchronous, buffer_milliseconds, data, initialize_without_exit);
    if (library->sample_rate > 0) return library;
    snprintf(problem, room, "%s finds no data (espeak-ng-data)", path);
    return refuse(library);
}

void descant_espeak_close(descant_espeak *library) {
    library->terminate();
    dlclose(library->handle);
    is_stuck = dlopen(library->path, RTLD_NOW | RTLD_NOLOAD) != NULL;
    free(library);
}

int32_t descant_espeak_sample_rate(const descant_espeak *library) { return library->sample_rate; }

void descant_espeak_list(
    const descant_espeak *library,
    void (*receive)(const char *identifier, const char *name, const char *languages, void *context), void *context) {
    for (const struct voice **voices = library->list_voices(NULL); voices && *voices; voices++) {
        // Those of MBROLA need a program and data of their own.
        if (strncmp((*voices)->identifier, "mb/", 3) == 0) continue;
        char languages[512];
        size_t used = 0;
        // Each language is a byte of priority and a text; the most preferred comes first.
        for (const char *language = (*voices)->languages; *language; language += strlen(language) + 1) {
            size_t length = strlen(language + 1);
            if (used + length + 2 > sizeof languages) break;
            if (used > 0) languages[used++] = ',';
            memcpy(languages + used, language + 1, length);
            used += length;
        }
        languages[used] = 0;
        receive((*voices)->identifier, (*voices)->name, languages, context);
    }
}

int descant_espeak_choose(const descant_espeak *library, const char *voice) { return library->set_voice(voice) == 0; }

static int deliver(const descant_espeak_piece *piece) {
    if (!speech.is_cancelled && speech.receive(piece, speech.context)) speech.is_cancelled = 1;
    return speech.is_cancelled;
}

static int hear(short *samples, int count, struct event *events) {
    for (; events->type != event_list_end && !speech.is_cancelled; events++) {
        // Events of no length are repeated at a stale place.
        if (events->type != event_word || events->length <= 0 || events->text_position < 1) continue;
        descant_espeak_piece word = {
            .scalar = events->text_position - 1, .frame = (int64_t)events->audio_position * speech.sample_rate / 1000};
        deliver(&word);
    }
    enum { maximum = 4096 };
    float sound[maximum];
    for (int done = 0; samples && done < count && !speech.is_cancelled; done += maximum) {
        int part = count - done < maximum ? count - done : maximum;
        for (int index = 0; index < part; index++) sound[index] = (float)samples[done + index] / 32768;
        deliver(&(descant_espeak_piece){.samples = sound, .count = part});
    }
    return speech.is_cancelled;
}

int descant_espeak_speak(
    const descant_espeak *library, const char *text, int rate, int pitch, descant_espeak_receiver receive, void *context) {
    speech.receive = receive;
    speech.context = context;
    speech.sample_rate = library->sample_rate;
    speech.is_cancelled = 0;
    library->set_callback(hear);
    library->set_parameter(parameter_rate, rate, 0);
    library->set_parameter(parameter_pitch, pitch, 0);
    int result = library->synthesize(text, strlen(text) + 1, 0, position_character, 0, text_is_utf8, NULL, NULL);
    return speech.is_cancelled || result == 0;
}
