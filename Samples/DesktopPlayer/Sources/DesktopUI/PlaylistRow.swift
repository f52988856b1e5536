internal import CGtk
internal import Foundation
internal import PlayerApp

/// A line of the list. The list uses it for one track after the other.
@MainActor
final class PlaylistRow {
    let widget: Widget

    private let item: OpaquePointer
    private let model: PlayerWindowModel
    private let mark = Widget(gtk_image_new())
    private let title = Widget.label().ellipsized()
    private let detail = Widget.label("", "dim-label", "caption").ellipsized()
    private let time = Widget.label("", "dim-label", "numeric")
    private let source = gtk_drag_source_new()
    /// The track that is shown, and its line.
    private var shown: (line: Int, row: PlayerWindowModel.Row)?

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - item: The item of the list, which knows the line's number.
    ///   - model: What is shown.
    ///   - dragged: Called when a line is dragged.
    ///   - asked: Called when the menu of the line is asked for, with the place of the pointer.
    init(
        item: OpaquePointer, model: PlayerWindowModel, dragged: @escaping @MainActor (Int) -> Void,
        asked: @escaping @MainActor (PlaylistRow, Signal.Click) -> Void
    ) {
        self.item = item
        self.model = model
        let texts = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 0, title, detail).expanding(horizontally: true)
            .aligned(vertically: GTK_ALIGN_CENTER)
        descant_gtk_hide_from_readers(mark.pointer)
        widget = .box(GTK_ORIENTATION_HORIZONTAL, spacing: 10, mark.sized(16, 16), texts, time)
        gtk_drag_source_set_actions(source, GDK_ACTION_MOVE)
        gtk_widget_add_controller(widget.pointer, source)
        Signal.connectDragBegin(source) { dragged(Int(gtk_list_item_get_position(item))) }
        let target = descant_gtk_drop_target()
        gtk_widget_add_controller(widget.pointer, target)
        Signal.connectDrop(target.map { UnsafeMutableRawPointer($0) }) { [weak self] in self?.take($0) ?? false }
        let press = gtk_gesture_click_new()
        // The right button.
        gtk_gesture_single_set_button(press, 3)
        Signal.connectClick(press.map { UnsafeMutableRawPointer($0) }) { [weak self] click in
            if let self { asked(self, click) }
        }
        gtk_widget_add_controller(widget.pointer, press)
    }

    /// The line, from 0.
    var line: Int { Int(gtk_list_item_get_position(item)) }

    /// Shows the track of the line.
    func show() {
        let line = line
        guard let row = model.row(at: line), shown?.line != line || shown?.row != row else { return }
        shown = (line, row)
        title.setText(row.title)
        detail.setText(row.detail)
        detail.setVisible(!row.detail.isEmpty)
        detail.setStyle("error", row.hasFailed)
        time.setText(row.time)
        widget.setStyle("current", row.isCurrent)
        gtk_image_set_from_icon_name(
            mark.opaque,
            row.hasFailed ? "dialog-warning-symbolic" : row.isCurrent ? "media-playback-start-symbolic" : nil)
        widget.nameLine(row.description)
        let content = descant_gtk_line_content(gint64(line))
        gtk_drag_source_set_content(source, content)
        if let content { g_object_unref(content) }
    }

    /// Takes what was dropped on the upper half before this line, and behind it what was dropped on the lower half.
    private func take(_ drop: Signal.Drop) -> Bool {
        let place = line + (drop.y > Double(gtk_widget_get_height(widget.pointer)) / 2 ? 1 : 0)
        if descant_gtk_dropped_line(drop.value) >= 0 { return model.moveSelection(before: place) }
        return droppedFiles(drop.value, model, before: place)
    }
}

/// Adds dropped files.
///
/// - Returns: Whether there were any.
@MainActor
func droppedFiles(_ value: UnsafePointer<GValue>, _ model: PlayerWindowModel, before line: Int?) -> Bool {
    guard let files = descant_gtk_dropped_files(value) else { return false }
    defer { g_slist_free(files) }
    let urls = sequence(first: files) { $0.pointee.next }
        .compactMap { $0.pointee.data.flatMap { address(of: OpaquePointer($0)) } }.compactMap(URL.init(string:))
    model.drop(urls, before: line)
    return !urls.isEmpty
}
