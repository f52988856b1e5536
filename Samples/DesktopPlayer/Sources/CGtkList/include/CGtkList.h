#ifndef DESCANT_GTK_LIST_H
#define DESCANT_GTK_LIST_H

#include <gtk/gtk.h>
#include <stdbool.h>

/// A list that knows only how many lines it has and which of them are selected. An item is made when a widget asks for it: GtkStringList,
/// GtkMultiSelection and GtkSingleSelection make or look at each item of a change, which takes several frames for a hundred thousand lines.
///
/// - Parameter is_single: Whether no more than one line is selected.
GtkSelectionModel *descant_gtk_list_new(bool is_single);

/// Replaces `removed` lines from `start` on by `added` new ones, which are not selected.
void descant_gtk_list_splice(GtkSelectionModel *list, guint start, guint removed, guint added);

#endif
