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

    init(_ model: PlayerWindowModel) {
        self.model = model
        let none = Widget.label("No lyrics", "dim-label").expanding(vertically: true)
            .aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
        gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
        descant_gtk_set_name(list.pointer, "Lyrics")
        let scrolled = Widget.scrolled(list.styled("lyrics"))
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 0, none, scrolled)
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
        marked = nil
        lines = texts.map { text in
            let label = Widget.label(text.isEmpty ? " " : text)
            gtk_label_set_xalign(label.opaque, 0.5)
            gtk_label_set_wrap(label.opaque, 1)
            gtk_list_box_append(list.opaque, label.pointer)
            return label
        }
    }

    private func mark(_ line: Int?) {
        guard line != marked else { return }
        if let marked, lines.indices.contains(marked) { lines[marked].setStyle("sung", false) }
        marked = line
        guard let line, lines.indices.contains(line) else { return }
        lines[line].setStyle("sung", true)
        scroll(to: lines[line])
    }

    /// Brings a line to the middle.
    private func scroll(to line: Widget) {
        guard let scrolled = gtk_widget_get_ancestor(line.pointer, gtk_scrolled_window_get_type()) else { return }
        var (x, y) = (0.0, 0.0)
        guard gtk_widget_translate_coordinates(line.pointer, list.pointer, 0, 0, &x, &y) != 0 else { return }
        let place = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
        gtk_adjustment_set_value(place, y - gtk_adjustment_get_page_size(place) / 2)
    }
}
