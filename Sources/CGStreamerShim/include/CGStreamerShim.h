#ifndef CGSTREAMERSHIM_H
#define CGSTREAMERSHIM_H
#include <gst/gst.h>
#include <semaphore.h>

/// GLib and GStreamer offer these as macros or variadic functions, which Swift cannot call.
/// Property setters for simple types are not here: gst_util_set_object_arg parses them from text.

/// Sets a property that holds an object, boxed value or pointer. Counts its own reference.
void descant_gst_set_pointer(gpointer object, const char *property, gpointer value);

/// Sets a text property to exactly this text, which gst_util_set_object_arg would unquote.
void descant_gst_set_string(gpointer object, const char *property, const char *value);

/// Adds a text field to a structure.
void descant_gst_add_text(GstStructure *structure, const char *field, const char *text);

gint descant_gst_get_int(gpointer object, const char *property);

/// Reads a text property; free with g_free. NULL when unset.
char *descant_gst_get_string(gpointer object, const char *property);

/// Whether the object's class has a property of this name.
gboolean descant_gst_has_property(gpointer object, const char *property);

/// Connects a signal; `release` is called with `data` when the object goes away or the signal is disconnected.
gulong descant_gst_connect(
    gpointer object, const char *signal, GCallback handler, gpointer data, void (*release)(gpointer data));

/// Whether a buffer is marked as not following its predecessor.
gboolean descant_gst_buffer_is_discontinuous(GstBuffer *buffer);

/// A time stamp that is not set.
GstClockTime descant_gst_no_time(void);

/// The name of the element that posted a message; "" when unknown. Valid as long as the message.
const char *descant_gst_message_source(GstMessage *message);

/// Chooses the Kaiser filter in the options of a GstAudioConverter, with a table of `oversampling` parts a frame.
void descant_gst_use_kaiser_resampler(GstStructure *options, gint oversampling);

/// Makes a wavenc write lengths that readers take for open-ended, until it knows the true ones.
void descant_gst_write_open_ended_wav(gpointer encoder);

/// Waits for a semaphore, at most so many nanoseconds of the monotonic clock; `sem_timedwait` follows the date, which somebody may
/// set back. Whether it was posted: an interruption counts as that too.
gboolean descant_semaphore_wait(sem_t *semaphore, guint64 nanoseconds);

/// Loads the libraries of all demuxers, parsers, decoders and type finders that automatic plugging would use, but not of those that only
/// decode pictures. GStreamer loads them later otherwise, which a process without the right to open files cannot.
void descant_load_decoders(void);

#endif
