// espeak-ng's speech, loaded by path and unloaded after use. The library keeps state in its own memory: one that has been loaded anew
// speaks as if it had never spoken before.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct descant_espeak descant_espeak;

/// A piece of speech: a word that begins at a frame, or samples when `samples` is not NULL.
typedef struct {
    const float *samples;
    int32_t count;
    /// The place of the word in the text, in scalars from 0, and its frame.
    int32_t scalar;
    int64_t frame;
} descant_espeak_piece;

/// Takes a piece of speech; anything but 0 ends the speech.
typedef int (*descant_espeak_receiver)(const descant_espeak_piece *piece, void *context);

/// Loads and initialises the library; NULL with the reason in problem. One at a time in a process.
///
/// path: the library, as for dlopen. data: the folder of its data; NULL for its own choice.
descant_espeak *descant_espeak_open(const char *path, const char *data, char *problem, size_t room);

/// Frees what the library has allocated, and unloads it.
void descant_espeak_close(descant_espeak *library);

int32_t descant_espeak_sample_rate(const descant_espeak *library);

/// Calls receive for each voice, with its languages as a list with commas, the preferred one first.
void descant_espeak_list(
    const descant_espeak *library,
    void (*receive)(const char *identifier, const char *name, const char *languages, void *context), void *context);

/// Loads a voice; 0 when that fails.
int descant_espeak_choose(const descant_espeak *library, const char *voice);

/// Speaks a text in UTF-8, at a number of words per minute and a pitch of 0…100; 0 when that fails.
int descant_espeak_speak(
    const descant_espeak *library, const char *text, int rate, int pitch, descant_espeak_receiver receive, void *context);
