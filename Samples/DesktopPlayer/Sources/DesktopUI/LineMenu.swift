internal import CGtk
internal import PlayerApp

/// The menu of a line of the playlist.
@MainActor
final class LineMenu {
    private let model: PlayerWindowModel
    /// The widget that the menu belongs to.
    private let parent: Widget
    private let popover: Widget
    private var actions: [PlayerWindowModel.LineCommand: OpaquePointer] = [:]
    /// The track that the menu was opened for.
    private var track: PlayerWindowModel.MenuTrack?

    /// Creates the menu, which is closed.
    ///
    /// - Parameters:
    ///   - model: Carries out the commands.
    ///   - parent: The box that the menu belongs to.
    ///   - closed: Called when the menu was closed.
    init(_ model: PlayerWindowModel, in parent: Widget, closed: @escaping @MainActor () -> Void) {
        guard let menu = g_menu_new() else { preconditionFailure("GTK has made no menu") }
        self.model = model
        self.parent = parent
        for command in PlayerWindowModel.LineCommand.allCases {
            g_menu_append(menu, command.title, "line.\(command.rawValue)")
        }
        popover = Widget(
            gtk_popover_menu_new_from_model(UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self)))
        g_object_unref(UnsafeMutableRawPointer(menu))
        popover.aligned(horizontally: GTK_ALIGN_START)
        gtk_popover_set_has_arrow(popover.cast(), 0)
        gtk_widget_set_parent(popover.pointer, parent.pointer)
        Signal.connect(popover.pointer, "closed", closed)
        connectActions()
    }

    private func connectActions() {
        guard let group = g_simple_action_group_new() else { preconditionFailure("GTK has made no group of actions") }
        for command in PlayerWindowModel.LineCommand.allCases {
            guard let action = g_simple_action_new(command.rawValue, nil) else { continue }
            Signal.connectAction(action) { [weak self] in self?.carryOut(command) }
            g_action_map_add_action(OpaquePointer(group), action)
            // They live as long as the program.
            actions[command] = action
        }
        gtk_widget_insert_action_group(popover.pointer, "line", OpaquePointer(group))
        g_object_unref(UnsafeMutableRawPointer(group))
    }

    /// Opens the menu of a line.
    ///
    /// - Parameters:
    ///   - line: The line, from 0.
    ///   - widget: The widget that the place counts from.
    ///   - x: The place, in pixels from the left.
    ///   - y: The place, in pixels from the top.
    func open(at line: Int, on widget: Widget, x: Double, y: Double) {
        var (left, top) = (0.0, 0.0)
        guard gtk_widget_translate_coordinates(widget.pointer, parent.pointer, x, y, &left, &top) != 0,
            let track = model.openMenu(at: line)
        else { return }
        self.track = track
        for (command, action) in actions {
            g_simple_action_set_enabled(action, model.isEnabled(command, for: track) ? 1 : 0)
        }
        var place = GdkRectangle(x: gint(left), y: gint(top), width: 1, height: 1)
        gtk_popover_set_pointing_to(popover.cast(), &place)
        gtk_popover_popup(popover.cast())
    }

    private func carryOut(_ command: PlayerWindowModel.LineCommand) {
        guard let track else { return }
        switch command {
        case .play: model.play(track)
        case .playNext: model.playSelectionNext()
        case .remove: model.removeSelection()
        case .showFile: if let file = track.file { DesktopFiles.show(file) { [model] in model.report($0) } }
        case .copyAddress: gdk_clipboard_set_text(gtk_widget_get_clipboard(parent.pointer), track.address)
        }
    }
}
