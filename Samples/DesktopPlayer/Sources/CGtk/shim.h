// GTK 4, and functions for what Swift cannot call: macros, and functions with a variable number of arguments.
#ifndef DESCANT_GTK_SHIM_H
#define DESCANT_GTK_SHIM_H

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// libdispatch wakes a foreign main loop through this descriptor and runs the main queue's work in this function. CoreFoundation's run
// loop uses the same two; no header declares them.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// The name that a screen reader says.
static inline void descant_gtk_set_name(GtkWidget *widget, const char *name) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

// The value of a slider as a screen reader says it.
static inline void descant_gtk_set_value_text(GtkWidget *widget, const char *text) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

// Whether a screen reader says of a line that it is the selected one.
static inline void descant_gtk_set_selected(GtkWidget *widget, bool is_selected) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_SELECTED, (gboolean)is_selected, -1);
}

// Hides a widget from screen readers, which know from others what it shows.
static inline void descant_gtk_hide_from_readers(GtkWidget *widget) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
}

// A widget whose role is not that of its type.
static inline GtkWidget *descant_gtk_box(GtkOrientation orientation, int spacing, GtkAccessibleRole role) {
    return GTK_WIDGET(g_object_new(
        GTK_TYPE_BOX, "orientation", orientation, "spacing", spacing, "accessible-role", role, NULL));
}

// GTK reads its whole theme again when the setting is set, also to what it is.
static inline void descant_gtk_set_dark(bool is_dark) {
    GtkSettings *settings = gtk_settings_get_default();
    if (settings == NULL) return;
    gboolean was_dark = FALSE;
    g_object_get(settings, "gtk-application-prefer-dark-theme", &was_dark, NULL);
    if ((was_dark != FALSE) != is_dark) g_object_set(settings, "gtk-application-prefer-dark-theme", (gboolean)is_dark, NULL);
}

static inline GType descant_gtk_string_type(void) { return G_TYPE_STRING; }

// Whether the settings of GTK ask for dark windows: by the setting, or by the name of the theme.
static inline bool descant_gtk_settings_are_dark(void) {
    GtkSettings *settings = gtk_settings_get_default();
    if (settings == NULL) return false;
    gboolean is_dark = FALSE;
    char *theme = NULL;
    g_object_get(settings, "gtk-application-prefer-dark-theme", &is_dark, "gtk-theme-name", &theme, NULL);
    if (theme != NULL && g_str_has_suffix(theme, "-dark")) is_dark = TRUE;
    g_free(theme);
    return is_dark;
}

// Gives up the program's name on the session bus: a new start that asks for it afterwards is a program of its own. What earlier ones have sent
// has arrived when this function returns; the main loop hands it on.
static inline void descant_gtk_release_name(GApplication *application) {
    GDBusConnection *bus = g_application_get_dbus_connection(application);
    if (bus == NULL) return;
    const char *name = "org.freedesktop.DBus";
    GVariant *answer = g_dbus_connection_call_sync(
        bus, name, "/org/freedesktop/DBus", name, "ReleaseName",
        g_variant_new("(s)", g_application_get_application_id(application)), NULL, G_DBUS_CALL_FLAGS_NONE, 1000, NULL, NULL);
    if (answer != NULL) g_variant_unref(answer);
}

// The question for the desktop's colour scheme, for the settings portal.
static inline GVariant *descant_gtk_color_scheme_question(void) {
    return g_variant_new("(ss)", "org.freedesktop.appearance", "color-scheme");
}

// The colour scheme in an answer or a signal of the settings portal: 0 for no preference, 1 for dark, 2 for light; -1 when it is about
// something else.
static inline int descant_gtk_color_scheme(GVariant *message) {
    const char *space = NULL, *key = NULL;
    GVariant *value = NULL;
    if (g_variant_is_of_type(message, G_VARIANT_TYPE("(v)"))) {
        g_variant_get(message, "(v)", &value);
    } else if (g_variant_is_of_type(message, G_VARIANT_TYPE("(ssv)"))) {
        g_variant_get(message, "(&s&sv)", &space, &key, &value);
        if (strcmp(space, "org.freedesktop.appearance") != 0 || strcmp(key, "color-scheme") != 0)
            g_clear_pointer(&value, g_variant_unref);
    }
    // Answers to `Read` are wrapped twice.
    while (value != NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
        GVariant *inner = g_variant_get_variant(value);
        g_variant_unref(value);
        value = inner;
    }
    int scheme = value != NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32) ? (int)g_variant_get_uint32(value) : -1;
    g_clear_pointer(&value, g_variant_unref);
    return scheme;
}

// What has the keyboard.
typedef enum {
    DESCANT_GTK_FOCUS_OTHER,
    DESCANT_GTK_FOCUS_TEXT,
    DESCANT_GTK_FOCUS_NUMBER,
    DESCANT_GTK_FOCUS_SLIDER,
    DESCANT_GTK_FOCUS_LIST,
    DESCANT_GTK_FOCUS_BUTTON
} DescantGtkFocus;

static inline DescantGtkFocus descant_gtk_focus(GtkWindow *window) {
    GtkWidget *widget = gtk_window_get_focus(window);
    if (widget == NULL) return DESCANT_GTK_FOCUS_OTHER;
    if (GTK_IS_TEXT(widget) && gtk_widget_get_ancestor(widget, GTK_TYPE_SPIN_BUTTON) != NULL) return DESCANT_GTK_FOCUS_NUMBER;
    if (GTK_IS_TEXT(widget)) return DESCANT_GTK_FOCUS_TEXT;
    // A text that is only read takes no letters.
    if (GTK_IS_TEXT_VIEW(widget) && gtk_text_view_get_editable(GTK_TEXT_VIEW(widget))) return DESCANT_GTK_FOCUS_TEXT;
    if (GTK_IS_RANGE(widget)) return DESCANT_GTK_FOCUS_SLIDER;
    // A button that was clicked is not what the person types to.
    if (gtk_widget_get_state_flags(widget) & GTK_STATE_FLAG_FOCUS_VISIBLE)
        if (GTK_IS_BUTTON(widget) || GTK_IS_SWITCH(widget) || GTK_IS_DROP_DOWN(widget))
            return DESCANT_GTK_FOCUS_BUTTON;
    if (GTK_IS_LIST_VIEW(widget) || gtk_widget_get_ancestor(widget, GTK_TYPE_LIST_VIEW) != NULL)
        return DESCANT_GTK_FOCUS_LIST;
    return DESCANT_GTK_FOCUS_OTHER;
}

// The list view in a widget, such as that of a drop-down's lines; NULL for none.
static inline GtkWidget *descant_gtk_list_view(GtkWidget *widget) {
    if (GTK_IS_LIST_VIEW(widget)) return widget;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child != NULL && found == NULL;
         child = gtk_widget_get_next_sibling(child))
        found = descant_gtk_list_view(child);
    return found;
}

// Whether the keyboard is in a menu or in a list that has popped up.
static inline bool descant_gtk_is_in_popover(GtkWindow *window) {
    GtkWidget *widget = gtk_window_get_focus(window);
    return widget != NULL && gtk_widget_get_ancestor(widget, GTK_TYPE_POPOVER) != NULL;
}

// The request to a file manager to show a file in its folder.
static inline GVariant *descant_gtk_show_file_request(const char *address) {
    return g_variant_new_parsed("([%s], '')", address);
}

// Moves the keyboard to the next control of the line that has it, or out of the list. GTK goes from line to line; that a list can do otherwise is
// newer than the oldest release that this is built with.
static inline void descant_gtk_tab(GtkWidget *list, bool is_backward) {
    GtkDirectionType direction = is_backward ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD;
    GtkWidget *line = gtk_widget_get_focus_child(list);
    if (line != NULL && gtk_widget_child_focus(line, direction)) return;
    GtkWidget *scrolled = gtk_widget_get_ancestor(list, GTK_TYPE_SCROLLED_WINDOW);
    if (scrolled != NULL) g_signal_emit_by_name(scrolled, "move-focus-out", direction);
}

// Brings a line of a list into sight.
static inline void descant_gtk_scroll_to(GtkWidget *list, guint line) {
    gtk_widget_activate_action(list, "list.scroll-to-item", "u", line);
}

// Whether a controller counts in notches of a wheel, and not in pixels of a touchpad, which older releases do not tell.
static inline bool descant_gtk_scrolls_by_notches(GtkEventControllerScroll *scroll) {
#if GTK_CHECK_VERSION(4, 8, 0)
    return gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL;
#else
    (void)scroll;
    return true;
#endif
}

// What a dragged line of the list carries: its number.
static inline GdkContentProvider *descant_gtk_line_content(gint64 line) {
    return gdk_content_provider_new_typed(G_TYPE_INT64, line);
}

// Takes lines of the list and files of other programs.
static inline GtkDropTarget *descant_gtk_drop_target(void) {
    GType types[] = {G_TYPE_INT64, GDK_TYPE_FILE_LIST};
    GtkDropTarget *target = gtk_drop_target_new(G_TYPE_INVALID, GDK_ACTION_COPY | GDK_ACTION_MOVE);
    gtk_drop_target_set_gtypes(target, types, G_N_ELEMENTS(types));
    return target;
}

// The dropped line; -1 when files were dropped.
static inline gint64 descant_gtk_dropped_line(const GValue *value) {
    return G_VALUE_HOLDS(value, G_TYPE_INT64) ? g_value_get_int64(value) : -1;
}

// The dropped files, to be freed with g_slist_free; the elements belong to the value.
static inline GSList *descant_gtk_dropped_files(const GValue *value) {
    return G_VALUE_HOLDS(value, GDK_TYPE_FILE_LIST) ? gdk_file_list_get_files(g_value_get_boxed(value)) : NULL;
}

// How the text of a book is marked: its headings, and the sentence and the word that are heard. The later ones lie above the others.
static inline void descant_gtk_add_reading_tags(GtkTextBuffer *buffer) {
    gtk_text_buffer_create_tag(buffer, "heading", "weight", PANGO_WEIGHT_BOLD, "scale", 1.3, "pixels-above-lines", 12, NULL);
    GdkRGBA pale = {0.96f, 0.76f, 0.07f, 0.22f};
    gtk_text_buffer_create_tag(buffer, "sentence", "background-rgba", &pale, NULL);
    // The same colours on light and on dark ground, with enough contrast between them on both.
    gtk_text_buffer_create_tag(buffer, "word", "background", "#f5c211", "foreground", "#1e1e1e", NULL);
}

#endif
