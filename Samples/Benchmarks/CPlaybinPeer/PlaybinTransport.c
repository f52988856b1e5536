#include "CPlaybinPeer.h"

#include <gst/gst.h>

struct playbin_transport {
    GstElement *player;
};

static void set_file(playbin_transport *transport, const char *path) {
    char *uri = gst_filename_to_uri(path, NULL);
    g_object_set(transport->player, "uri", uri, NULL);
    g_free(uri);
}

playbin_transport *playbin_transport_open(const char *name) {
    gst_init(NULL, NULL);
    GstElement *player = gst_element_factory_make("playbin", NULL);
    GstElement *sink = gst_parse_launch(name, NULL);
    if (!player || !sink) return NULL;
    g_object_set(player, "audio-sink", sink, "video-sink", gst_element_factory_make("fakesink", NULL), NULL);
    gst_util_set_object_arg(G_OBJECT(player), "flags", "audio+soft-volume");
    playbin_transport *transport = g_new0(playbin_transport, 1);
    transport->player = player;
    return transport;
}

void playbin_transport_play(playbin_transport *transport, const char *path) {
    gst_element_set_state(transport->player, GST_STATE_READY);
    set_file(transport, path);
    gst_element_set_state(transport->player, GST_STATE_PLAYING);
}

void playbin_transport_stop(playbin_transport *transport) {
    gst_element_set_state(transport->player, GST_STATE_READY);
}

void playbin_transport_pause(playbin_transport *transport) {
    gst_element_set_state(transport->player, GST_STATE_PAUSED);
}

void playbin_transport_resume(playbin_transport *transport) {
    gst_element_set_state(transport->player, GST_STATE_PLAYING);
}

void playbin_transport_set_volume(playbin_transport *transport, double volume) {
    g_object_set(transport->player, "volume", volume, NULL);
}

void playbin_transport_seek(playbin_transport *transport, double seconds) {
    gst_element_seek_simple(
        transport->player, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, (gint64)(seconds * 1e9));
}

void playbin_transport_close(playbin_transport *transport) {
    gst_element_set_state(transport->player, GST_STATE_NULL);
    gst_object_unref(transport->player);
    g_free(transport);
}
