#ifndef CGSTREAMERSHIM_H
#define CGSTREAMERSHIM_H
#include <gst/gst.h>

/// GLib and GStreamer offer these as macros or variadic functions, which Swift cannot call.

#endif
