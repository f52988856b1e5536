#pragma once
#include <gio/gio.h>

/// Connects to a connection's `closed` signal, which GLib offers by macros only. The data is released by `destroy`.
static inline gulong descant_on_closed(
    GDBusConnection *connection, void (*callback)(GDBusConnection *, gboolean, GError *, gpointer), gpointer data,
    void (*destroy)(gpointer, GClosure *))
{
    return g_signal_connect_data(connection, "closed", G_CALLBACK(callback), data, destroy, (GConnectFlags)0);
}
