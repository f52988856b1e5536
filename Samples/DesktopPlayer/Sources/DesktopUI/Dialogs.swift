internal import CGtk
internal import Foundation
internal import PlayerApp

/// The dialogs of the window.
@MainActor
final class Dialogs {
    private let parent: Widget
    private let model: PlayerWindowModel

    init(parent: Widget, model: PlayerWindowModel) {
        self.parent = parent
        self.model = model
    }

    // MARK: Files

    /// Lets the person choose files and adds them.
    func openFiles() {
        let endings = SoundFile.endings.union(SoundFile.playlistEndings).union(BookFile.endings)
        choose(
            "Open Files", GTK_FILE_CHOOSER_ACTION_OPEN, several: true,
            showing: (name: "Sound, playlists and books", endings: endings)
        ) { [model] in model.open($0) }
    }

    /// Lets the person type an address and adds what is there.
    func openAddress() {
        let model = model
        let dialog = Widget(gtk_window_new())
        let field = Widget(gtk_entry_new()).named("Address")
        gtk_entry_set_placeholder_text(field.cast(), "https://")
        func typed() -> URL? { PlayerWindowModel.address(String(cString: gtk_editable_get_text(field.opaque))) }
        func accept() {
            guard let url = typed() else { return }
            gtk_window_destroy(dialog.cast())
            model.open([url])
        }
        let cancel = Widget.textButton("Cancel") { gtk_window_destroy(dialog.cast()) }
        let open = Widget.textButton("Open") { accept() }.styled("suggested-action")
        open.setEnabled(false)
        Signal.connect(field.pointer, "changed") { open.setEnabled(typed() != nil) }
        Signal.connect(field.pointer, "activate") { accept() }
        let buttons = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, cancel, open)
            .aligned(horizontally: GTK_ALIGN_END)
        show("Open Address", .box(GTK_ORIENTATION_VERTICAL, spacing: 18, field, buttons), in: dialog)
    }

    /// Lets the person choose the files of a book and reads it aloud.
    func openBook() {
        choose("Open a Book", GTK_FILE_CHOOSER_ACTION_OPEN, several: true) { [model] in model.openBook($0) }
    }

    /// Lets the person choose a folder and adds what is in it.
    func openFolder() {
        choose("Open a Folder", GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, several: true) { [model] in model.open($0) }
    }

    /// Lets the person choose folders and adds them to the media library.
    func addFolder() {
        choose("Add a Folder to the Library", GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, several: true) { [model] in
            model.addToLibrary($0)
        }
    }

    /// Asks whether a folder is to be removed from the media library, and removes it.
    ///
    /// - Parameter line: The folder's line.
    func removeFolder(at line: Int) {
        guard let (question, intent) = model.folderRemoval(at: line) else { return }
        let model = model
        let dialog = Widget(gtk_window_new())
        let text = Widget.label(question)
        gtk_label_set_wrap(text.opaque, 1)
        let keep = Widget.textButton("Cancel") { gtk_window_destroy(dialog.cast()) }
        let remove = Widget.textButton("Remove") {
            model.send(intent)
            gtk_window_destroy(dialog.cast())
        }.styled("destructive-action")
        let buttons = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, keep, remove)
            .aligned(horizontally: GTK_ALIGN_END)
        show("Remove a Folder", .box(GTK_ORIENTATION_VERTICAL, spacing: 18, text, buttons), in: dialog)
    }

    /// Lets the person choose the sound of the overlay.
    func chooseOverlay() {
        choose("Choose an Overlay", GTK_FILE_CHOOSER_ACTION_OPEN, several: false) { [model] urls in
            if let url = urls.first { model.send(.startOverlay(url)) }
        }
    }

    /// Lets the person choose the file that the playlist is written to; its extension gives the format.
    func savePlaylist() {
        guard model.canPlay else { return }
        choose("Save the Playlist", GTK_FILE_CHOOSER_ACTION_SAVE, several: false, name: "playlist.m3u") {
            [model] urls in
            if let url = urls.first { model.savePlaylist(to: url) }
        }
    }

    /// A kind of files that a file chooser shows before the person asks for all files.
    private typealias Kind = (name: String, endings: Set<String>)

    /// Shows the desktop's file chooser. It keeps itself until it is answered.
    private func choose(
        _ title: String, _ action: GtkFileChooserAction, several: Bool, name: String? = nil, showing kind: Kind? = nil,
        _ chosen: @escaping @MainActor ([URL]) -> Void
    ) {
        guard let chooser = gtk_file_chooser_native_new(title, parent.cast(), action, nil, nil) else { return }
        let object = UnsafeMutableRawPointer(chooser)
        let dialog = object.assumingMemoryBound(to: GtkNativeDialog.self)
        gtk_file_chooser_set_select_multiple(chooser, several ? 1 : 0)
        if let name { gtk_file_chooser_set_current_name(chooser, name) }
        if let kind {
            Self.add(kind, to: chooser)
            Self.add((name: "All files", endings: []), to: chooser)
        }
        gtk_native_dialog_set_modal(dialog, 1)
        Signal.connectNumber(object, "response") { response in
            let urls = response == Int(GTK_RESPONSE_ACCEPT.rawValue) ? Self.files(of: chooser) : []
            g_object_unref(object)
            if !urls.isEmpty { chosen(urls) }
        }
        gtk_native_dialog_show(dialog)
    }

    /// Lets the person choose a kind of files; without endings, all files.
    private static func add(_ kind: Kind, to chooser: OpaquePointer) {
        guard let filter = gtk_file_filter_new() else { return }
        gtk_file_filter_set_name(filter, kind.name)
        for ending in kind.endings { gtk_file_filter_add_suffix(filter, ending) }
        if !kind.endings.isEmpty {
            // Also what only plugins play.
            for type in ["audio/*", "video/*"] { gtk_file_filter_add_mime_type(filter, type) }
        }
        if kind.endings.isEmpty { gtk_file_filter_add_pattern(filter, "*") }
        gtk_file_chooser_add_filter(chooser, filter)
        g_object_unref(UnsafeMutableRawPointer(filter))
    }

    private static func files(of chooser: OpaquePointer) -> [URL] {
        guard let files = gtk_file_chooser_get_files(chooser) else { return [] }
        defer { g_object_unref(UnsafeMutableRawPointer(files)) }
        return (0..<g_list_model_get_n_items(files)).compactMap { index in
            guard let item = g_list_model_get_item(files, index) else { return nil }
            defer { g_object_unref(item) }
            return address(of: OpaquePointer(item)).flatMap(URL.init(string:))
        }
    }

    // MARK: Preferences and keys

    /// Shows the preferences.
    func preferences() {
        let model = model
        let appearance = Widget.choice("Appearance", ["As the desktop", "Light", "Dark"]) { model.setAppearance($0) }
        let remaining = Widget.toggle("Show the remaining time") { model.setShowsRemainingTime($0) }
        appearance.setChoice(model.appearanceIndex)
        remaining.setToggle(model.preferences.showsRemainingTime)
        show(
            "Preferences",
            .box(
                GTK_ORIENTATION_VERTICAL, spacing: 12, .row("Appearance", appearance),
                .row("Show the remaining time", remaining)))
    }

    /// Shows the keys.
    func keys() {
        let grid = Widget(gtk_grid_new())
        gtk_grid_set_column_spacing(grid.cast(), 24)
        gtk_grid_set_row_spacing(grid.cast(), 6)
        for (index, line) in PlayerWindowModel.keys.enumerated() {
            gtk_grid_attach(grid.cast(), Widget.label(line.keys, "dim-label").pointer, 0, Int32(index), 1, 1)
            gtk_grid_attach(grid.cast(), Widget.label(line.effect).pointer, 1, Int32(index), 1, 1)
        }
        show("Keyboard Shortcuts", grid)
    }

    /// Shows a window above the player's; Escape closes it.
    private func show(_ title: String, _ content: Widget, in dialog: Widget = Widget(gtk_window_new())) {
        gtk_window_set_title(dialog.cast(), title)
        gtk_window_set_transient_for(dialog.cast(), parent.cast())
        gtk_window_set_modal(dialog.cast(), 1)
        gtk_window_set_resizable(dialog.cast(), 0)
        gtk_window_set_child(dialog.cast(), content.margins(18).sized(360, -1).pointer)
        let keys = gtk_event_controller_key_new()
        Signal.connectKey(keys.map { UnsafeMutableRawPointer($0) }) { key in
            guard key.value == guint(GDK_KEY_Escape) else { return false }
            gtk_window_destroy(dialog.cast())
            return true
        }
        gtk_widget_add_controller(dialog.pointer, keys)
        gtk_window_present(dialog.cast())
    }
}
