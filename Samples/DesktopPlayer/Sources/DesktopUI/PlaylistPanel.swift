internal import CGtk
internal import CGtkList
internal import Foundation
internal import PlayerApp

/// The list of tracks: lines are selected, moved by dragging, removed and played; files are dropped between them.
@MainActor
final class PlaylistPanel {
    let widget: Widget
    /// The field that filters the list.
    let filter: Widget
    /// The list of the tracks.
    let list: Widget

    private let model: PlayerWindowModel
    private let lines = descant_gtk_list_new(false)
    /// The widgets of the lines that are on the screen, by the item of the list that they belong to.
    private var rows: [OpaquePointer: PlaylistRow] = [:]
    private var shownKeys = RowKeys.none
    /// Whether the list is being brought up to date: what it reports then is not the person's doing.
    private var isUpdating = false
    private let scrolled: Widget
    private let menu: LineMenu
    /// How far the list is scrolled, in pixels.
    private let place: UnsafeMutablePointer<GtkAdjustment>?
    /// Whether the line of the present track is to be brought into sight: at the start, where the queue of the last time has one, behind a
    /// filter, and when the person asks for it.
    private var wantsCurrent = true
    /// Whether the lines that are shown are those of a filter.
    private var isFiltered = false

    init(
        _ model: PlayerWindowModel, openFiles: @escaping @MainActor () -> Void, save: @escaping @MainActor () -> Void
    ) {
        self.model = model
        let factory = gtk_signal_list_item_factory_new()
        let list = Widget(gtk_list_view_new(lines, factory))
        self.list = list
        descant_gtk_set_name(list.pointer, "Playlist")
        list.styled("navigation-sidebar", "playlist")

        let filter = Widget(gtk_search_entry_new()).expanding(horizontally: true)
        self.filter = filter
        descant_gtk_set_name(filter.pointer, "Filter the playlist")
        setPlaceholder(of: filter)
        let summary = Widget.label("", "dim-label", "caption")
        let remove = Widget.button("list-remove-symbolic", "Remove the selected tracks") { model.removeSelection() }
        let undo = Widget.button("edit-undo-symbolic", "Undo") { model.send(.undo) }
        let save = Widget.button("document-save-symbolic", "Save the playlist", save)
        let bar = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 8, filter, summary, save, undo, remove).margins(8)
        let empty = Self.emptyPage(openFiles)
        let none = Widget.label("", "dim-label").ellipsized().aligned(horizontally: GTK_ALIGN_CENTER).margins(18)
        let scrolled = Widget.scrolled(list)
        self.scrolled = scrolled
        place = gtk_scrolled_window_get_vadjustment(scrolled.opaque)
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 0, bar, empty, none, scrolled)
        list.leaveByTab()
        menu = LineMenu(model, in: widget) { [list] in gtk_widget_grab_focus(list.pointer) }

        connect(factory)
        render { [weak self] in self?.show() }
        render {
            summary.setText(model.listSummary)
            remove.setEnabled(!model.selection.isEmpty)
            save.setEnabled(model.canPlay)
            undo.setEnabled(model.canUndo)
            empty.setVisible(!model.canPlay)
            scrolled.setVisible(model.canPlay)
            bar.setVisible(model.canPlay || model.canUndo)
            none.setText(model.filterMessage ?? "")
            none.setVisible(model.filterMessage != nil)
        }
        render {
            // What is typed is newer than what the model knows of it.
            guard model.filterText.isEmpty, gtk_editable_get_text(filter.opaque).map({ $0.pointee != 0 }) == true,
                !filter.hasKeyboard
            else { return }
            gtk_editable_set_text(filter.opaque, "")
        }
    }

    private static func emptyPage(_ openFiles: @escaping @MainActor () -> Void) -> Widget {
        let text = Widget.label("Open files or folders, or drop them here", "dim-label")
        gtk_label_set_xalign(text.opaque, 0.5)
        let button = Widget.textButton("Open Files…", openFiles).styled("pill", "suggested-action")
            .aligned(horizontally: GTK_ALIGN_CENTER)
        return .box(GTK_ORIENTATION_VERTICAL, spacing: 16, text, button).expanding(vertically: true)
            .aligned(vertically: GTK_ALIGN_CENTER)
    }

    private func connect(_ factory: OpaquePointer?) {
        let factory = factory.map { UnsafeMutableRawPointer($0) }
        Signal.connectItem(factory, "setup") { [weak self] item in
            guard let self else { return }
            let row = PlaylistRow(
                item: item, model: model, dragged: { [weak self] in self?.select(only: $0) },
                asked: { [weak self] in self?.openMenu(of: $0, x: $1.x, y: $1.y) })
            rows[item] = row
            gtk_list_item_set_child(item, row.widget.pointer)
        }
        Signal.connectItem(factory, "bind") { [weak self] in self?.rows[$0]?.show() }
        Signal.connectItem(factory, "teardown") { [weak self] in self?.rows[$0] = nil }
        Signal.connectNumber(list.pointer, "activate") { [model] in model.play(line: $0) }
        Signal.connectSelection(lines.map { UnsafeMutableRawPointer($0) }) { [weak self] in self?.noteSelection() }
        Signal.connect(filter.pointer, "search-changed") { [model, filter] in
            model.filter(String(cString: gtk_editable_get_text(filter.opaque)))
        }
        // A search entry reports changes a moment after the last key: Enter may come before that.
        Signal.connect(filter.pointer, "activate") { [model, filter] in
            model.playFirst(with: String(cString: gtk_editable_get_text(filter.opaque)))
        }
        Signal.connect(filter.pointer, "stop-search") { [model, filter, list] in
            gtk_editable_set_text(filter.opaque, "")
            model.filter("")
            gtk_widget_grab_focus(list.pointer)
        }
        // Lines have no place before they are laid out. This signal comes amid the layout.
        Signal.connect(place, "changed") { [weak self] in
            Task { self?.scrollToCurrent() }
        }
    }

    /// Gives the keyboard to the list.
    func takeKeyboard() { gtk_widget_grab_focus(list.pointer) }

    /// Opens the menu of the line that has the keyboard.
    ///
    /// - Returns: Whether a line has it.
    func openMenu() -> Bool {
        guard let row = focusedRow else { return false }
        openMenu(of: row, x: 0, y: Double(gtk_widget_get_height(row.widget.pointer)))
        return true
    }

    private func openMenu(of row: PlaylistRow, x: Double, y: Double) {
        // The keyboard comes back to this line when the menu is closed.
        gtk_widget_grab_focus(gtk_widget_get_parent(row.widget.pointer))
        menu.open(at: row.line, on: row.widget, x: x, y: y)
    }

    /// The line that has the keyboard; `nil` when it has no widget, and when something else has the keyboard.
    private var focusedRow: PlaylistRow? {
        guard list.hasKeyboard, let item = gtk_widget_get_focus_child(list.pointer) else { return nil }
        return rows.values.first { gtk_widget_get_parent($0.widget.pointer) == item }
    }

    /// Whether a place lies in the list or below its lines, and not in the bar above it.
    ///
    /// - Parameters:
    ///   - y: The place, in pixels from the top of a widget.
    ///   - widget: The widget.
    func isBelowBar(y: Double, in widget: Widget) -> Bool {
        var (listX, listY) = (0.0, 0.0)
        return gtk_widget_translate_coordinates(widget.pointer, scrolled.pointer, 0, y, &listX, &listY) != 0
            && listY >= 0
    }

    /// Brings the line of the present track into sight, as soon as there is one.
    func showCurrent() {
        wantsCurrent = true
        scrollToCurrent()
    }

    private func scrollToCurrent() {
        guard wantsCurrent, let line = model.currentLine, model.rowKeysVersion == shownKeys.version,
            gtk_adjustment_get_page_size(place) > 0
        else { return }
        wantsCurrent = false
        descant_gtk_scroll_to(list.pointer, guint(line))
    }

    // MARK: The model's lines

    private func show() {
        isUpdating = true
        defer { isUpdating = false }
        let isWithoutKeyboard = showLines()
        for row in rows.values { row.show() }
        model.followSelection()
        showSelection(model.selection)
        // The line that has the keyboard goes with a removed track, and stays behind a moved one.
        if isWithoutKeyboard, let line = model.selection.min() { takeKeyboard(at: line) }
        if let line = model.takeMovedLine() {
            descant_gtk_scroll_to(list.pointer, guint(line))
            if list.hasKeyboard { takeKeyboard(at: line) }
        }
        let wasFiltered = isFiltered
        isFiltered = !model.filterText.isEmpty
        if wasFiltered, !isFiltered { wantsCurrent = true }
        scrollToCurrent()
    }

    /// Brings the number of lines up to date.
    ///
    /// - Returns: Whether the line that has had the keyboard was among those from the first to the last one that were removed.
    private func showLines() -> Bool {
        guard model.rowKeysVersion != shownKeys.version else { return false }
        let keys = model.rowKeys
        defer { shownKeys = keys }
        guard let change = ListChange(from: shownKeys, to: keys) else { return false }
        let line = focusedRow?.line ?? -1
        lines.splice(change)
        return change.removed > change.added && (change.start..<change.start + change.removed).contains(line)
    }

    /// Gives the keyboard to a line, if it has a widget.
    private func takeKeyboard(at line: Int) {
        guard let row = rows.values.first(where: { $0.line == line }) else { return }
        gtk_widget_grab_focus(gtk_widget_get_parent(row.widget.pointer))
    }

    private func showSelection(_ wanted: Set<Int>) {
        guard selected != wanted, let chosen = gtk_bitset_new_empty() else { return }
        defer { gtk_bitset_unref(chosen) }
        for line in wanted { gtk_bitset_add(chosen, guint(line)) }
        guard let all = gtk_bitset_new_range(0, guint(shownKeys.count)) else { return }
        defer { gtk_bitset_unref(all) }
        gtk_selection_model_set_selection(lines, chosen, all)
    }

    // MARK: The person's doing

    private var selected: Set<Int> {
        guard let chosen = gtk_selection_model_get_selection(lines) else { return [] }
        defer { gtk_bitset_unref(chosen) }
        return Set((0..<gtk_bitset_get_size(chosen)).map { Int(gtk_bitset_get_nth(chosen, guint($0))) })
    }

    private func noteSelection() { if !isUpdating { model.select(selected) } }

    /// A line that is dragged and not selected is dragged alone.
    private func select(only line: Int) { if !model.selection.contains(line) { model.select([line]) } }
}

extension OpaquePointer? {
    /// Changes the number of a list's lines. Lines that were replaced stay, and are shown anew by the caller: GTK would make their widgets
    /// anew, two hundred of them, which takes several frames.
    @MainActor func splice(_ change: ListChange) {
        let kept = min(change.removed, change.added)
        descant_gtk_list_splice(
            self, guint(change.start + kept), guint(change.removed - kept), guint(change.added - kept))
    }
}

extension Widget {
    /// Whether the keyboard is in this field.
    var hasKeyboard: Bool { gtk_widget_get_state_flags(pointer).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0 }
}

@MainActor
private func setPlaceholder(of entry: Widget) {
    // GtkSearchEntry has the property since 4.0 and the function since 4.10.
    var value = GValue()
    g_value_init(&value, descant_gtk_string_type())
    g_value_set_string(&value, "Filter")
    g_object_set_property(entry.cast(), "placeholder-text", &value)
    g_value_unset(&value)
}
