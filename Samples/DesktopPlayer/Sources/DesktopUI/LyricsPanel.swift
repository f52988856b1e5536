internal import CGtk
internal import PlayerApp

/// The words of the present track; the line that is sung is marked and kept in sight.
@MainActor
final class LyricsPanel {
    let widget: Widget

    private let model: PlayerWindowModel
    private let list = Widget(gtk_list_box_new())
    private var lines: [Widget] = []
    private var marked: Int?
    /// How far the lines are scrolled, in pixels.
    private let place: UnsafeMutablePointer<GtkAdjustment>?

    init(_ model: PlayerWindowModel) {
        self.model = model
        let none = Widget.label("No lyrics", "dim-label").expanding(vertically: true)
            .aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
        gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
        descant_gtk_set_name(list.pointer, "Lyrics")
        let scrolled = Widget.scrolled(list.styled("lyrics"))
        list.leaveByTab()
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 0, none, scrolled)
        place = gtk_scrolled_window_get_vadjustment(scrolled.opaque)
        // Lines have no place before they are laid out, which happens when the page is shown. This signal comes amid the layout.
        Signal.connect(place, "changed") { [weak self] in
            Task { self?.scrollToMarked() }
        }
        Signal.connectRow(list.pointer) { [model] in model.seek(toLyricsLine: $0) }
        render {
            none.setVisible(model.lyricsLines.isEmpty)
            scrolled.setVisible(!model.lyricsLines.isEmpty)
        }
        render { [weak self] in self?.show(model.lyricsLines) }
        render { [weak self] in self?.mark(model.lyricsLine) }
    }

    private func show(_ texts: [String]) {
        for line in lines { gtk_list_box_remove(list.opaque, gtk_widget_get_parent(line.pointer)) }
        // The height of the new lines is then a change, even when it is that of the lines before.
        gtk_adjustment_set_upper(place, 0)
        lines = texts.map { text in
            let label = Widget.label(text.isEmpty ? " " : text)
            gtk_label_set_xalign(label.opaque, 0.5)
            gtk_label_set_wrap(label.opaque, 1)
            gtk_list_box_append(list.opaque, label.pointer)
            label.nameLine(text)
            return label
        }
        // The line may have been told before the lines.
        if let marked { setMark(marked, true) }
    }

    private func mark(_ line: Int?) {
        guard line != marked else { return }
        if let marked { setMark(marked, false) }
        marked = line
        guard let line else { return }
        setMark(line, true)
        scrollToMarked()
    }

    private func setMark(_ line: Int, _ isOn: Bool) {
        guard lines.indices.contains(line) else { return }
        lines[line].setStyle("sung", isOn)
        if let row = gtk_widget_get_parent(lines[line].pointer) { descant_gtk_set_selected(row, isOn) }
    }

    /// Brings the marked line to the middle.
    private func scrollToMarked() {
        guard let marked, lines.indices.contains(marked) else { return }
        var (x, y) = (0.0, 0.0)
        guard gtk_widget_translate_coordinates(lines[marked].pointer, list.pointer, 0, 0, &x, &y) != 0 else { return }
        gtk_adjustment_set_value(place, y - gtk_adjustment_get_page_size(place) / 2)
    }
}
