// For sem_clockwait.
#define _GNU_SOURCE
#include "CGStreamerShim.h"
#include <errno.h>
#include <string.h>
#include <gst/audio/audio.h>
#include <time.h>

void descant_gst_set_pointer(gpointer object, const char *property, gpointer value) {
  g_object_set(object, property, value, NULL);
}

void descant_gst_set_string(gpointer object, const char *property, const char *value) {
  g_object_set(object, property, value, NULL);
}

void descant_gst_add_text(GstStructure *structure, const char *field, const char *text) {
  gst_structure_set(structure, field, G_TYPE_STRING, text, NULL);
}

gint descant_gst_get_int(gpointer object, const char *property) {
  gint value = 0;
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

// wavenc announces 2 GiB of samples until the stream is over: three hours that a reader of a file whose writer was killed believes.
// 0xFFFFFFFF in both lengths is what streams have; readers take what is there.
static GstPadProbeReturn open_ended_header(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  (void)pad;
  (void)data;
  static const guint32 unknown_length = 0x7FFF0000;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  gsize size = gst_buffer_get_size(buffer);
  guint8 head[12];
  if (size < sizeof head || size > 4096 || gst_buffer_extract(buffer, 0, head, sizeof head) != sizeof head ||
      memcmp(head, "RIFF", 4) || memcmp(head + 8, "WAVE", 4))
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable(buffer);
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READWRITE)) return GST_PAD_PROBE_OK;
  for (gsize place = 12; place + 8 <= map.size;) {
    guint32 length = GST_READ_UINT32_LE(map.data + place + 4);
    if (!memcmp(map.data + place, "data", 4)) {
      if (length == unknown_length) {
        GST_WRITE_UINT32_LE(map.data + 4, G_MAXUINT32);
        GST_WRITE_UINT32_LE(map.data + place + 4, G_MAXUINT32);
      }
      break;
    }
    place += 8 + (gsize)length + (length & 1);
  }
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

void descant_gst_write_open_ended_wav(gpointer encoder) {
  GstPad *pad = gst_element_get_static_pad(GST_ELEMENT(encoder), "src");
  if (!pad) return;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, open_ended_header, NULL, NULL);
  gst_object_unref(pad);
}

gboolean descant_semaphore_wait(sem_t *semaphore, guint64 nanoseconds) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  nanoseconds += (guint64)moment.tv_nsec;
  moment.tv_sec += (time_t)(nanoseconds / 1000000000);
  moment.tv_nsec = (long)(nanoseconds % 1000000000);
  return sem_clockwait(semaphore, CLOCK_MONOTONIC, &moment) == 0 || errno != ETIMEDOUT;
}

// Decoders of pictures, some of which talk to graphics cards.
static gboolean is_for_pictures(GstPluginFeature *feature) {
  if (!GST_IS_ELEMENT_FACTORY(feature)) return FALSE;
  const gchar *class = gst_element_factory_get_metadata(GST_ELEMENT_FACTORY(feature), GST_ELEMENT_METADATA_KLASS);
  return class && !strstr(class, "Audio") && !strstr(class, "Demux") &&
         (strstr(class, "Video") || strstr(class, "Image") || strstr(class, "Subtitle") || strstr(class, "Network"));
}

void descant_load_decoders(void) {
  GList *lists[] = {
      gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DECODABLE, GST_RANK_MARGINAL),
      gst_type_find_factory_get_list()};
  for (size_t index = 0; index < G_N_ELEMENTS(lists); index++) {
    for (GList *item = lists[index]; item; item = item->next) {
      if (is_for_pictures(item->data)) continue;
      GstPluginFeature *loaded = gst_plugin_feature_load(item->data);
      if (loaded) gst_object_unref(loaded);
    }
    gst_plugin_feature_list_free(lists[index]);
  }
}
