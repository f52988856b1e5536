#include "CPlaybinPeer.h"

#include <gst/gst.h>
#include <string.h>
#include <time.h>

// Written by streaming threads, read by the measuring one; all accesses are atomic.
static gint is_armed;
static gint has_flushed;
static gint64 first_buffer_at;

static gint64 monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (gint64)now.tv_sec * G_GINT64_CONSTANT(1000000000) + now.tv_nsec;
}

static void wait_milliseconds(int milliseconds) { g_usleep((gulong)milliseconds * 1000); }

static void buffer_arrived(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data) {
    (void)sink, (void)buffer, (void)pad, (void)data;
    if (g_atomic_int_compare_and_exchange(&is_armed, 1, 0)) {
        __atomic_store_n(&first_buffer_at, monotonic_nanoseconds(), __ATOMIC_RELEASE);
    }
}

// Buffers before the flush still belong to the old position.
static GstPadProbeReturn event_arrived(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    (void)pad, (void)data;
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP
        && g_atomic_int_compare_and_exchange(&has_flushed, 0, 1)) {
        g_atomic_int_set(&is_armed, 1);
    }
    return GST_PAD_PROBE_OK;
}

static gint64 wait_for_buffer(gint64 since) {
    gint64 limit = monotonic_nanoseconds() + G_GINT64_CONSTANT(10000000000);
    while (monotonic_nanoseconds() < limit) {
        gint64 at = __atomic_load_n(&first_buffer_at, __ATOMIC_ACQUIRE);
        if (at) return at - since;
        g_usleep(100);
    }
    return -1;
}

static GstElement *make_player(const char *path) {
    gst_init(NULL, NULL);
    GstElement *player = gst_element_factory_make("playbin", NULL);
    GstElement *sink = gst_element_factory_make("fakesink", NULL);
    if (!player || !sink) return NULL;
    g_object_set(sink, "sync", TRUE, "signal-handoffs", TRUE, NULL);
    g_signal_connect(sink, "handoff", G_CALLBACK(buffer_arrived), NULL);
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, event_arrived, NULL, NULL);
    gst_object_unref(pad);
    char *uri = gst_filename_to_uri(path, NULL);
    g_object_set(player, "audio-sink", sink, "video-sink", gst_element_factory_make("fakesink", NULL), "uri", uri, NULL);
    gst_util_set_object_arg(G_OBJECT(player), "flags", "audio+soft-volume");
    g_free(uri);
    return player;
}

static void drop_player(GstElement *player) {
    gst_element_set_state(player, GST_STATE_NULL);
    gst_object_unref(player);
}

static gint64 play(GstElement *player) {
    __atomic_store_n(&first_buffer_at, 0, __ATOMIC_RELEASE);
    g_atomic_int_set(&is_armed, 1);
    gint64 since = monotonic_nanoseconds();
    gst_element_set_state(player, GST_STATE_PLAYING);
    return wait_for_buffer(since);
}

int64_t playbin_last_first_buffer(void) { return __atomic_load_n(&first_buffer_at, __ATOMIC_ACQUIRE); }

int playbin_measure_starts(const char *path, int count, int64_t *nanoseconds) {
    GstElement *player = make_player(path);
    if (!player) return -1;
    int result = 0;
    for (int index = 0; index < count && result == 0; index++) {
        nanoseconds[index] = play(player);
        if (nanoseconds[index] < 0) result = -1;
        wait_milliseconds(30);
        gst_element_set_state(player, GST_STATE_READY);
    }
    drop_player(player);
    return result;
}

int playbin_measure_seeks(const char *path, const double *positions, int count, int pause_ms, int64_t *nanoseconds) {
    GstElement *player = make_player(path);
    if (!player) return -1;
    int result = play(player) < 0 ? -1 : 0;
    for (int index = 0; index < count && result == 0; index++) {
        wait_milliseconds(pause_ms);
        __atomic_store_n(&first_buffer_at, 0, __ATOMIC_RELEASE);
        g_atomic_int_set(&is_armed, 0);
        g_atomic_int_set(&has_flushed, 0);
        gint64 since = monotonic_nanoseconds();
        gboolean taken = gst_element_seek_simple(
            player, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, (gint64)(positions[index] * 1e9));
        nanoseconds[index] = taken ? wait_for_buffer(since) : -1;
        if (nanoseconds[index] < 0) result = -1;
    }
    drop_player(player);
    return result;
}
