#include "CGStreamerShim.h"
#include <gst/audio/audio.h>

void descant_gst_set_pointer(gpointer object, const char *property, gpointer value) {
  g_object_set(object, property, value, NULL);
}

void descant_gst_set_string(gpointer object, const char *property, const char *value) {
  g_object_set(object, property, value, NULL);
}

void descant_gst_add_text(GstStructure *structure, const char *field, const char *text) {
  gst_structure_set(structure, field, G_TYPE_STRING, text, NULL);
}

gpointer descant_gst_get_object(gpointer object, const char *property) {
  gpointer value = NULL;
  g_object_get(object, property, &value, NULL);
  return value;
}

gint descant_gst_get_int(gpointer object, const char *property) {
  gint value = 0;
  g_object_get(object, property, &value, NULL);
  return value;
}

guint64 descant_gst_get_uint64(gpointer object, const char *property) {
  guint64 value = 0;
  g_object_get(object, property, &value, NULL);
  return value;
}

gdouble descant_gst_get_double(gpointer object, const char *property) {
  gdouble value = 0;
  g_object_get(object, property, &value, NULL);
  return value;
}

char *descant_gst_get_string(gpointer object, const char *property) {
  char *value = NULL;
  g_object_get(object, property, &value, NULL);
  return value;
}

gboolean descant_gst_has_property(gpointer object, const char *property) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(object), property) != NULL;
}

gulong descant_gst_connect(
    gpointer object, const char *signal, GCallback handler, gpointer data, void (*release)(gpointer data)) {
  // GLib passes the closure as a second argument, which `release` does not look at.
  return g_signal_connect_data(object, signal, handler, data, (GClosureNotify)(void (*)(void))release, 0);
}

gboolean descant_gst_buffer_is_discontinuous(GstBuffer *buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
}

GstClockTime descant_gst_no_time(void) { return GST_CLOCK_TIME_NONE; }

const char *descant_gst_message_source(GstMessage *message) {
  GstObject *source = GST_MESSAGE_SRC(message);
  return source != NULL && GST_OBJECT_NAME(source) != NULL ? GST_OBJECT_NAME(source) : "";
}

void descant_gst_use_kaiser_resampler(GstStructure *options, gint oversampling) {
  gst_structure_set(
      options, GST_AUDIO_CONVERTER_OPT_RESAMPLER_METHOD, GST_TYPE_AUDIO_RESAMPLER_METHOD,
      GST_AUDIO_RESAMPLER_METHOD_KAISER, GST_AUDIO_RESAMPLER_OPT_FILTER_OVERSAMPLE, G_TYPE_INT, oversampling, NULL);
}
