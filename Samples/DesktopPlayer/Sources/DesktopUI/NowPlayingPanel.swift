internal import CGtk
internal import PlayerApp

/// The cover, the title and the artist of the present track.
@MainActor
struct NowPlayingPanel {
    let widget: Widget

    /// The width of the cover, in pixels.
    private static let coverSize: Int32 = 240

    /// - Parameters:
    ///   - model: What is shown.
    ///   - showCurrent: Shows the track in the playlist.
    init(_ model: PlayerWindowModel, showCurrent: @escaping @MainActor () -> Void) {
        let cover = Widget(gtk_image_new()).styled("cover").sized(Self.coverSize, Self.coverSize)
        let title = Self.centred("title-3")
        let subtitle = Self.centred("dim-label")
        let format = Self.centred("caption", "dim-label")
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 8, cover, title, subtitle, format).margins(16)
            .aligned(vertically: GTK_ALIGN_CENTER)
        let clicks = gtk_gesture_click_new()
        Signal.connectClick(clicks.map { UnsafeMutableRawPointer($0) }) { _ in showCurrent() }
        gtk_widget_add_controller(title.pointer, clicks)

        render {
            title.setText(model.title)
            subtitle.setText(model.subtitle)
            format.setText(model.format)
            format.setVisible(!model.format.isEmpty)
        }
        render { Self.show(model.state.cover, in: cover) }
    }

    private static func centred(_ classes: String...) -> Widget {
        let label = Widget.label()
        for name in classes { label.styled(name) }
        gtk_label_set_xalign(label.opaque, 0.5)
        gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
        gtk_label_set_wrap(label.opaque, 1)
        gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_lines(label.opaque, 3)
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        gtk_label_set_max_width_chars(label.opaque, 28)
        return label
    }

    private static func show(_ art: CoverArt?, in image: Widget) {
        guard let art else {
            gtk_image_set_from_icon_name(image.opaque, "audio-x-generic-symbolic")
            gtk_image_set_pixel_size(image.opaque, coverSize / 2)
            return descant_gtk_set_name(image.pointer, "No cover")
        }
        let bytes = art.bytes
        guard let data = g_bytes_new(bytes, gsize(bytes.count)) else { return }
        defer { g_bytes_unref(data) }
        let texture = gdk_memory_texture_new(
            Int32(art.width), Int32(art.height), GDK_MEMORY_R8G8B8, data, gsize(art.width * 3))
        gtk_image_set_from_paintable(image.opaque, texture)
        gtk_image_set_pixel_size(image.opaque, coverSize)
        descant_gtk_set_name(image.pointer, "Cover")
        if let texture { g_object_unref(UnsafeMutableRawPointer(texture)) }
    }
}
