internal import CGtk
internal import Foundation
internal import PlayerApp

/// The player's window.
@MainActor
final class PlayerWindow {
    let window: Widget

    private let model: PlayerWindowModel
    private let stack = Widget(gtk_stack_new())
    private let playlist: PlaylistPanel
    private let lyrics: LyricsPanel
    /// The media library; `nil` when its program is not installed.
    private let library: LibraryPanel?
    /// The page that reads books aloud; `nil` for a window without one.
    private let reader: ReaderPanel?
    private let dialogs: Dialogs

    /// Creates the window.
    ///
    /// - Parameters:
    ///   - application: The application that it belongs to.
    ///   - model: What it shows.
    ///   - closed: Called when the person closes it.
    init(
        application: UnsafeMutablePointer<GtkApplication>, model: PlayerWindowModel,
        closed: @escaping @MainActor () -> Void
    ) {
        self.model = model
        window = Widget(gtk_application_window_new(application))
        let dialogs = Dialogs(parent: window, model: model)
        self.dialogs = dialogs
        playlist = PlaylistPanel(model, openFiles: { dialogs.openFiles() }, save: { dialogs.savePlaylist() })
        lyrics = LyricsPanel(model)
        library =
            model.hasLibrary
            ? LibraryPanel(model, addFolder: dialogs.addFolder, removeFolder: dialogs.removeFolder(at:)) : nil
        reader = model.reader.map { ReaderPanel($0) { dialogs.openBook() } }
        let size = model.windowSize
        gtk_window_set_default_size(window.cast(), gint(size.width), gint(size.height))
        if model.isWindowMaximized { gtk_window_maximize(window.cast()) }
        gtk_window_set_icon_name(window.cast(), DesktopApp.identifier)
        layOut()
        connect(closed)
        // Before the window's own choice changes the setting.
        model.systemIsDark = descant_gtk_settings_are_dark()
        render { [window, model] in gtk_window_set_title(window.cast(), model.windowTitle) }
        render { [model] in descant_gtk_set_dark(model.isDark) }
        render { if model.isDone { closed() } }
        DesktopColors.follow { [model] in model.systemIsDark = $0 }
        if model.page == .playlist { playlist.takeKeyboard() }
    }

    /// Shows the window in front of the others.
    func present() {
        let isNew = gtk_widget_get_visible(window.pointer) == 0
        gtk_window_present(window.cast())
        // GTK gives the keyboard to the first button of a new window, and Space would press it.
        if isNew, model.page != .playlist { gtk_window_set_focus(window.cast(), nil) }
    }

    /// Remembers the size and the page of the window.
    func keepFrame() {
        var (width, height) = (gint(0), gint(0))
        gtk_window_get_default_size(window.cast(), &width, &height)
        model.keepWindow(
            width: Int(width), height: Int(height), isMaximized: gtk_window_is_maximized(window.cast()) != 0)
    }

    /// Logs the frames with the page, the number of its lines, and how far they are scrolled, 0…1.
    func logFrames() {
        FrameLog.start(window) { [model, playlist, library] in
            let list = model.page == .library ? library?.list ?? playlist.list : playlist.list
            return "\(model.page.rawValue) \(list.lineCount) \(list.scrolledShare)"
        }
    }

    // MARK: Layout

    private func layOut() {
        let pages =
            [(playlist.widget, "playlist", "Playlist")]
            + (library.map { [($0.widget, "library", "Library")] } ?? [])
            + [
                (lyrics.widget, "lyrics", "Lyrics"),
                (SoundPanel(model) { [dialogs] in dialogs.chooseOverlay() }.widget, "sound", "Sound"),
            ] + (reader.map { [($0.widget, "reader", "Reader")] } ?? [])
        for (page, name, title) in pages {
            gtk_stack_add_titled(stack.opaque, page.pointer, name, title)
        }
        Signal.connectChange(stack.pointer, of: "visible-child-name") { [model, stack] in
            if let page = Self.page(stack) { model.show(page) }
        }
        render { [model, stack] in
            let page = model.page
            if Self.page(stack) != page { gtk_stack_set_visible_child_name(stack.opaque, page.rawValue) }
        }
        let header = Widget(gtk_header_bar_new())
        let switcher = Widget(gtk_stack_switcher_new())
        descant_gtk_set_name(switcher.pointer, "Pages")
        gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
        gtk_header_bar_set_title_widget(header.opaque, switcher.pointer)
        let open = Widget.button("document-open-symbolic", "Open files") { [dialogs] in dialogs.openFiles() }
        let folder = Widget.button("folder-open-symbolic", "Open a folder") { [dialogs] in dialogs.openFolder() }
        let preferences = Widget.button("emblem-system-symbolic", "Preferences") { [dialogs] in dialogs.preferences() }
        let help = Widget.button("help-about-symbolic", "Keyboard shortcuts") { [dialogs] in dialogs.keys() }
        for button in [open, folder] { gtk_header_bar_pack_start(header.opaque, button.pointer) }
        for button in [preferences, help] { gtk_header_bar_pack_end(header.opaque, button.pointer) }
        gtk_window_set_titlebar(window.cast(), header.pointer)

        let present = NowPlayingPanel(model) { [weak self] in self?.showCurrent() }
        let middle = Widget.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 0, present.widget,
            Widget(gtk_separator_new(GTK_ORIENTATION_VERTICAL)),
            stack.expanding(horizontally: true, vertically: true))
        let content = Widget.box(
            GTK_ORIENTATION_VERTICAL, spacing: 0, BannerBar(model) { [model] in model.lastingBanner }.widget,
            BannerBar(model) { [model] in model.banner }.widget, middle,
            Widget(gtk_separator_new(GTK_ORIENTATION_HORIZONTAL)), TransportBar(model).widget)
        gtk_window_set_child(window.cast(), content.pointer)
    }

    private static func page(_ stack: Widget) -> PlayerWindowModel.Page? {
        gtk_stack_get_visible_child_name(stack.opaque).flatMap { PlayerWindowModel.Page(rawValue: String(cString: $0)) }
    }

    // MARK: Keys, drops and closing

    private func connect(_ closed: @escaping @MainActor () -> Void) {
        Signal.connectClose(window.pointer) {
            closed()
            return true
        }
        let keys = gtk_event_controller_key_new()
        gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
        Signal.connectKey(keys.map { UnsafeMutableRawPointer($0) }) { [weak self] in self?.press($0) ?? false }
        gtk_widget_add_controller(window.pointer, keys)

        let target = descant_gtk_drop_target()
        Signal.connectDrop(target.map { UnsafeMutableRawPointer($0) }) { [weak self, model, stack] drop in
            guard descant_gtk_dropped_line(drop.value) >= 0 else { return droppedFiles(drop.value, model, before: nil) }
            guard model.page == .playlist, self?.playlist.isBelowBar(y: drop.y, in: stack) == true else { return false }
            return model.moveSelectionToEnd()
        }
        gtk_widget_add_controller(stack.pointer, target)
    }

    private func press(_ key: Signal.Key) -> Bool {
        // Menus and lists that have popped up have keys of their own.
        if descant_gtk_is_in_popover(window.cast()) { return false }
        let command = WindowKey.command(
            key.value, typing: Unicode.Scalar(gdk_keyval_to_unicode(key.value)), among: symbols(of: key))
        guard let name = gdk_keyval_name(command).map({ String(cString: $0) }) else { return false }
        let pressed = WindowKey(
            name, control: key.modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0,
            alt: key.modifiers.rawValue & GDK_ALT_MASK.rawValue != 0)
        // With Caps Lock the names are in capitals.
        let letter = pressed.control ? name.lowercased() : nil
        if letter == "o" { return dialogs.openFiles() == () }
        if letter == "l" { return dialogs.openAddress() == () }
        if letter == "s" { return dialogs.savePlaylist() == () }
        if letter == "f" {
            if let library, model.page == .library {
                return gtk_widget_grab_focus(library.search.pointer) != 0
            }
            model.show(.playlist)
            gtk_stack_set_visible_child_name(stack.opaque, PlayerWindowModel.Page.playlist.rawValue)
            return gtk_widget_grab_focus(playlist.filter.pointer) != 0
        }
        if letter == "j" { return showCurrent() == () }
        if name == "F1" { return dialogs.keys() == () }
        let focus: WindowKey.Focus =
            switch descant_gtk_focus(window.cast()) {
            case DESCANT_GTK_FOCUS_TEXT: .text
            case DESCANT_GTK_FOCUS_NUMBER: .number
            case DESCANT_GTK_FOCUS_SLIDER: .slider
            case DESCANT_GTK_FOCUS_LIST: .list
            case DESCANT_GTK_FOCUS_BUTTON: .button
            default: .other
            }
        let isShifted = key.modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0
        if name == "Menu" || name == "F10" && isShifted, focus == .list, model.page == .playlist {
            return playlist.openMenu()
        }
        return model.press(pressed, focus: focus)
    }

    /// Shows the present track in the playlist.
    private func showCurrent() {
        model.showCurrent()
        gtk_stack_set_visible_child_name(stack.opaque, PlayerWindowModel.Page.playlist.rawValue)
        // A field that keeps the keyboard keeps its text, too, also that of a filter that has ended.
        playlist.takeKeyboard()
        playlist.showCurrent()
    }

    /// The symbols of a key in all layouts of the keyboard.
    private func symbols(of key: Signal.Key) -> [WindowKey.Symbol] {
        var keys: UnsafeMutablePointer<GdkKeymapKey>?
        var values: UnsafeMutablePointer<guint>?
        var count: gint = 0
        let display = gtk_widget_get_display(window.pointer)
        let isKnown = gdk_display_map_keycode(display, key.code, &keys, &values, &count) != 0
        defer {
            g_free(keys)
            g_free(values)
        }
        guard isKnown, let keys, let values else { return [] }
        return (0..<Int(count)).map { WindowKey.Symbol(values[$0], level: Int(keys[$0].level)) }
    }
}

/// A message above everything.
@MainActor
struct BannerBar {
    let widget: Widget

    /// - Parameters:
    ///   - model: Undoes what the message is about.
    ///   - message: Returns the message; `nil` hides the bar.
    init(_ model: PlayerWindowModel, _ message: @escaping @MainActor () -> PlayerWindowModel.Banner?) {
        let text = Widget.label().ellipsized().expanding(horizontally: true)
        let undo = Widget.textButton("Undo") { model.send(.undo) }
        let close = Widget.button("window-close-symbolic", "Close the message") { model.dismissBanner() }
            .styled("flat")
        let bar = Widget.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 8, role: GTK_ACCESSIBLE_ROLE_ALERT, text, undo, close
        ).styled("banner")
        widget = bar
        render {
            let banner = message()
            bar.setVisible(banner != nil)
            text.setText(banner?.text ?? "")
            // What does not fit is shown under the pointer.
            bar.named(banner?.text ?? "")
            bar.setStyle("failure", banner?.isError == true)
            undo.setVisible(banner?.canUndo == true)
            close.setVisible(banner?.isLasting == false)
        }
    }
}
