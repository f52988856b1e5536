internal import CGtk
internal import CGtkList
internal import PlayerApp

/// The media library: genres, artists, albums and tracks. A line is opened or played; its buttons play all of it or add it to the playlist.
@MainActor
final class LibraryPanel {
    let widget: Widget
    /// The field that searches.
    let search: Widget
    /// The list of what the library has.
    let list: Widget

    private let model: PlayerWindowModel
    private let removeFolder: @MainActor (Int) -> Void
    private let lines = descant_gtk_list_new(true)
    private var rows: [OpaquePointer: LibraryRow] = [:]
    private var shownRows: [PlayerWindowModel.LibraryRow] = []
    /// The way to the level that these lines are of.
    private var shownPath: [LibraryState.Level] = []
    /// Whether the list is being brought up to date: what it reports then is not the person's doing.
    private var isUpdating = false
    /// What was typed into the field when the library was searched last.
    private var searched = ""
    /// Whether the keyboard comes back to the list with the lines of the level that was opened.
    private var returnsKeyboard = false

    /// - Parameters:
    ///   - model: What is shown.
    ///   - addFolder: Lets the person choose a folder.
    ///   - removeFolder: Asks whether the folder of a line is to be removed.
    init(
        _ model: PlayerWindowModel, addFolder: @escaping @MainActor () -> Void,
        removeFolder: @escaping @MainActor (Int) -> Void
    ) {
        self.model = model
        self.removeFolder = removeFolder
        let factory = gtk_signal_list_item_factory_new()
        list = Widget(gtk_list_view_new(lines, factory))
        descant_gtk_set_name(list.pointer, "Library")
        list.styled("navigation-sidebar", "library")

        let search = Widget(gtk_search_entry_new()).expanding(horizontally: true)
        self.search = search
        descant_gtk_set_name(search.pointer, "Search the library")
        let back = Widget.button("go-previous-symbolic", "Back") { model.leaveLibrary() }
        let view = Widget.choice("View", PlayerWindowModel.libraryViews) { model.showLibrary($0) }
        let title = Widget.label("", "heading").ellipsized()
        let add = Widget.button("folder-new-symbolic", "Add a folder to the library", addFolder)
        let bar = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 8, back, view, title, search, add).margins(8)
        let message = Widget.label("", "dim-label").ellipsized().aligned(horizontally: GTK_ALIGN_CENTER)
        let first = Widget.textButton("Add Folder…", addFolder).styled("suggested-action")
            .aligned(horizontally: GTK_ALIGN_CENTER)
        let empty = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 12, message, first).expanding(vertically: true)
            .aligned(vertically: GTK_ALIGN_CENTER)
        let scrolled = Widget.scrolled(list)
        list.leaveByTab()
        let scan = Widget.label("", "dim-label").ellipsized().margins(8)
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 0, bar, empty, scrolled, scan)

        connect(factory)
        view.connectChoice { [weak self] in self?.showTop(of: $0) }
        render { [weak self] in self?.show() }
        render { [weak self] in self?.clearSearch() }
        render {
            back.setEnabled(model.canLeaveLibrary)
            view.setChoice(model.libraryView)
            title.setText(model.canLeaveLibrary ? model.libraryTitle : "")
            message.setText(model.libraryMessage ?? "")
            empty.setVisible(model.libraryMessage != nil)
            first.setVisible(model.offersFolder)
            scan.setText(model.libraryScan ?? "")
            scan.setVisible(model.libraryScan != nil)
            scrolled.setVisible(model.libraryMessage == nil)
        }
    }

    private func connect(_ factory: OpaquePointer?) {
        let factory = factory.map { UnsafeMutableRawPointer($0) }
        Signal.connectItem(factory, "setup") { [weak self] item in
            guard let self else { return }
            let row = LibraryRow(item: item, model: model, removeFolder: removeFolder)
            rows[item] = row
            gtk_list_item_set_child(item, row.widget.pointer)
        }
        Signal.connectItem(factory, "bind") { [weak self] in self?.rows[$0]?.show() }
        Signal.connectItem(factory, "teardown") { [weak self] in self?.rows[$0] = nil }
        Signal.connectNumber(list.pointer, "activate") { [weak self, model] in
            self?.returnsKeyboard = model.libraryRow(at: $0).map { !$0.isTrack && !$0.isFolder } ?? false
            model.send(.enterLibrary($0))
        }
        Signal.connectSelection(lines.map { UnsafeMutableRawPointer($0) }) { [weak self] in self?.noteSelection() }
        // With the first letter, before the search: lines that come meanwhile leave the keyboard where the person types.
        Signal.connect(search.pointer, "changed") { [weak self] in self?.returnsKeyboard = false }
        Signal.connect(search.pointer, "search-changed") { [weak self] in
            guard let self else { return }
            searched = String(cString: gtk_editable_get_text(search.opaque))
            model.searchLibrary(searched)
        }
        // A search entry reports changes a moment after the last key: Enter may come before that.
        Signal.connect(search.pointer, "activate") { [model, search] in
            model.playFirstInLibrary(with: String(cString: gtk_editable_get_text(search.opaque)))
        }
        // The button of a mouse that goes back in browsers.
        let back = gtk_gesture_click_new()
        gtk_gesture_single_set_button(back, 8)
        Signal.connectClick(back.map { UnsafeMutableRawPointer($0) }) { [model] _ in model.leaveLibrary() }
        gtk_widget_add_controller(widget.pointer, back)
        Signal.connect(search.pointer, "stop-search") { [search, list] in
            gtk_editable_set_text(search.opaque, "")
            gtk_widget_grab_focus(list.pointer)
        }
    }

    /// Shows the first line of a view that was chosen again.
    private func showTop(of view: Int) {
        model.showTopOfLibrary(view)
        if list.lineCount > 0 { descant_gtk_scroll_to(list.pointer, 0) }
    }

    /// Shows the lines of the model.
    private func show() {
        isUpdating = true
        defer { isUpdating = false }
        let (wanted, selected, path) = (model.libraryRows, model.librarySelection, model.state.library?.path ?? [])
        // Around a search the lines stay until there are others, as in a filtered playlist: GTK would make their widgets anew, which takes
        // several frames. They cannot be entered meanwhile.
        if wanted.isEmpty, isSearch(path) || isSearch(shownPath) { return }
        let isOtherLevel = shownRows.isEmpty || path != shownPath
        // The line that has the keyboard goes with its level.
        if path != shownPath, list.hasKeyboard { returnsKeyboard = true }
        shownPath = path
        if let change = ListChange(from: shownRows, to: wanted) {
            shownRows = wanted
            lines.splice(change)
            for row in rows.values { row.show() }
            if returnsKeyboard, !wanted.isEmpty {
                returnsKeyboard = false
                // A list without lines may be hidden.
                gtk_widget_set_visible(gtk_widget_get_parent(list.pointer), 1)
                takeKeyboard(at: selected)
            }
        }
        guard wanted.indices.contains(selected) else { return }
        if selectedLine != selected { gtk_selection_model_select_item(lines, guint(selected), 1) }
        // While a scan brings lines, the person's place in the list stays.
        if isOtherLevel { descant_gtk_scroll_to(list.pointer, guint(selected)) }
    }

    /// Empties the field when what it has found was left. What was typed since stays.
    private func clearSearch() {
        guard !isSearch(model.state.library?.path ?? []), !searched.isEmpty,
            String(cString: gtk_editable_get_text(search.opaque)) == searched
        else { return }
        gtk_editable_set_text(search.opaque, "")
    }

    /// Gives the keyboard to a line, or to the list where the line has no widget yet.
    private func takeKeyboard(at line: Int) {
        let row = rows.first { Int(gtk_list_item_get_position($0.key)) == line }?.value
        gtk_widget_grab_focus(row.flatMap { gtk_widget_get_parent($0.widget.pointer) } ?? list.pointer)
    }

    private func isSearch(_ path: [LibraryState.Level]) -> Bool { if case .found? = path.last { true } else { false } }

    private var selectedLine: Int? {
        guard let chosen = gtk_selection_model_get_selection(lines) else { return nil }
        defer { gtk_bitset_unref(chosen) }
        return gtk_bitset_is_empty(chosen) != 0 ? nil : Int(gtk_bitset_get_minimum(chosen))
    }

    private func noteSelection() { if !isUpdating, let selectedLine { model.selectLibrary(selectedLine) } }
}

/// A line of the library. The list uses it for one after the other.
@MainActor
private final class LibraryRow {
    let widget: Widget

    private let item: OpaquePointer
    private let model: PlayerWindowModel
    private let title = Widget.label().ellipsized().expanding(horizontally: true)
    private let detail = Widget.label("", "dim-label", "numeric")
    private let play: Widget
    private let add: Widget

    init(item: OpaquePointer, model: PlayerWindowModel, removeFolder: @escaping @MainActor (Int) -> Void) {
        self.item = item
        self.model = model
        play = Widget.button("media-playback-start-symbolic", "Play now") {
            model.send(.playFromLibrary(Int(gtk_list_item_get_position(item))))
        }.styled("flat")
        add = Widget.button("list-add-symbolic", "Add to the playlist") {
            let line = Int(gtk_list_item_get_position(item))
            guard model.libraryRow(at: line)?.isFolder == true else { return model.send(.addFromLibrary(line)) }
            removeFolder(line)
        }.styled("flat")
        widget = .box(GTK_ORIENTATION_HORIZONTAL, spacing: 10, title, detail, play, add)
    }

    func show() {
        guard let row = model.libraryRow(at: Int(gtk_list_item_get_position(item))) else { return }
        title.setText(row.title)
        detail.setText(row.detail)
        widget.nameLine(row.detail.isEmpty ? row.title : "\(row.title), \(row.detail)")
        // The tooltip does not name the line, so that it changes only between folders and tracks: GTK asks the display where the pointer is at
        // each change, and for the two hundred lines that a list keeps the answers take longer than a frame.
        play.setVisible(!row.isFolder)
        descant_gtk_set_name(play.pointer, "Play \(row.title)")
        if row.isFolder {
            add.setButton("list-remove-symbolic", "Remove from the library")
            descant_gtk_set_name(add.pointer, "Remove \(row.title) from the library")
        } else {
            add.setButton("list-add-symbolic", "Add to the playlist")
            descant_gtk_set_name(add.pointer, "Add \(row.title) to the playlist")
        }
    }
}
