#include "CGtkList.h"

typedef struct {
    GObject parent;
    guint count;
    GtkBitset *selected;
    bool is_single;
} LineList;

typedef struct {
    GObjectClass parent;
} LineListClass;

// MARK: GListModel

static GType item_type(GListModel *list) { return G_TYPE_OBJECT; }

static guint item_count(GListModel *list) { return ((LineList *)list)->count; }

static gpointer item_at(GListModel *list, guint position) {
    return position < item_count(list) ? g_object_new(G_TYPE_OBJECT, NULL) : NULL;
}

static void init_list(GListModelInterface *interface) {
    interface->get_item_type = item_type;
    interface->get_n_items = item_count;
    interface->get_item = item_at;
}

// MARK: GtkSelectionModel, whose other functions GTK derives from these

static gboolean is_selected(GtkSelectionModel *list, guint position) {
    return gtk_bitset_contains(((LineList *)list)->selected, position);
}

static GtkBitset *selection(GtkSelectionModel *list, guint start, guint count) {
    return gtk_bitset_ref(((LineList *)list)->selected);
}

// What `mask` has becomes as it is in `wanted`.
static gboolean set_selection(GtkSelectionModel *model, GtkBitset *wanted, GtkBitset *mask) {
    LineList *list = (LineList *)model;
    GtkBitset *chosen = gtk_bitset_copy(wanted);
    gtk_bitset_intersect(chosen, mask);
    if (list->count == 0) {
        gtk_bitset_remove_all(chosen);
    } else {
        gtk_bitset_remove_range_closed(chosen, list->count, G_MAXUINT);
    }
    guint64 number = gtk_bitset_get_size(chosen);
    if (list->is_single && number > 1) {
        gtk_bitset_unref(chosen);
        return FALSE;
    }
    if (!list->is_single || number == 0) {
        GtkBitset *rest = gtk_bitset_copy(list->selected);
        gtk_bitset_subtract(rest, mask);
        gtk_bitset_union(chosen, rest);
        gtk_bitset_unref(rest);
    }
    GtkBitset *changed = gtk_bitset_copy(chosen);
    gtk_bitset_difference(changed, list->selected);
    gtk_bitset_unref(list->selected);
    list->selected = chosen;
    if (!gtk_bitset_is_empty(changed)) {
        guint first = gtk_bitset_get_minimum(changed);
        gtk_selection_model_selection_changed(model, first, gtk_bitset_get_maximum(changed) - first + 1);
    }
    gtk_bitset_unref(changed);
    return TRUE;
}

static void init_selection(GtkSelectionModelInterface *interface) {
    interface->is_selected = is_selected;
    interface->get_selection_in_range = selection;
    interface->set_selection = set_selection;
}

// MARK: The object

G_DEFINE_TYPE_WITH_CODE(
    LineList, line_list, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_list)
    G_IMPLEMENT_INTERFACE(GTK_TYPE_SELECTION_MODEL, init_selection))

static void finalize(GObject *object) {
    gtk_bitset_unref(((LineList *)object)->selected);
    G_OBJECT_CLASS(line_list_parent_class)->finalize(object);
}

static void line_list_class_init(LineListClass *class) { G_OBJECT_CLASS(class)->finalize = finalize; }
static void line_list_init(LineList *list) { list->selected = gtk_bitset_new_empty(); }

GtkSelectionModel *descant_gtk_list_new(bool is_single) {
    LineList *list = g_object_new(line_list_get_type(), NULL);
    list->is_single = is_single;
    return GTK_SELECTION_MODEL(list);
}

void descant_gtk_list_splice(GtkSelectionModel *model, guint start, guint removed, guint added) {
    LineList *list = (LineList *)model;
    g_return_if_fail(start <= list->count && removed <= list->count - start);
    list->count += added - removed;
    gtk_bitset_splice(list->selected, start, removed, added);
    g_list_model_items_changed(G_LIST_MODEL(model), start, removed, added);
}
