internal import CGtk
internal import PlayerApp

/// The page that reads books aloud: the text with the sentence and the word that are heard, and the commands of the reader.
@MainActor
final class ReaderPanel {
    let widget: Widget

    private let model: ReaderPanelModel
    private let text = Widget(gtk_text_view_new())
    private let place: UnsafeMutablePointer<GtkTextMark>?
    private var shown: BookSections.Section?
    private var marked: [String: Range<Int>] = [:]

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - model: What it shows.
    ///   - openBook: Lets the person choose a book.
    init(_ model: ReaderPanelModel, openBook: @escaping @MainActor () -> Void) {
        self.model = model
        let buffer = gtk_text_view_get_buffer(text.cast())
        descant_gtk_add_reading_tags(buffer)
        var start = GtkTextIter()
        gtk_text_buffer_get_start_iter(buffer, &start)
        place = gtk_text_buffer_create_mark(buffer, "place", &start, 1)
        Self.prepare(text)

        let empty = Self.emptyPage(model, openBook)
        let book = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 0)
        for part in [
            Self.heading(model, openBook), Widget(gtk_separator_new(GTK_ORIENTATION_HORIZONTAL)),
            Widget.scrolled(text), Widget(gtk_separator_new(GTK_ORIENTATION_HORIZONTAL)),
            ReaderControls(model).widget,
        ] { book.append(part) }
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 0, empty, book.expanding(vertically: true))
        connect()
        render {
            empty.setVisible(model.book == nil)
            book.setVisible(model.book != nil)
        }
        render { [weak self] in self?.showText() }
        render { [weak self] in self?.showPlace() }
    }

    private static func prepare(_ text: Widget) {
        gtk_text_view_set_editable(text.cast(), 0)
        gtk_text_view_set_cursor_visible(text.cast(), 0)
        gtk_text_view_set_wrap_mode(text.cast(), GTK_WRAP_WORD_CHAR)
        gtk_text_view_set_pixels_inside_wrap(text.cast(), 3)
        gtk_text_view_set_pixels_below_lines(text.cast(), 3)
        gtk_text_view_set_left_margin(text.cast(), 28)
        gtk_text_view_set_right_margin(text.cast(), 28)
        gtk_text_view_set_top_margin(text.cast(), 16)
        gtk_text_view_set_bottom_margin(text.cast(), 16)
        descant_gtk_set_name(text.pointer, "Text of the book")
        text.styled("book")
    }

    private static func emptyPage(_ model: ReaderPanelModel, _ openBook: @escaping @MainActor () -> Void) -> Widget {
        let hint = Widget.label("Open a text, HTML or EPUB book, or drop it here", "dim-label")
        gtk_label_set_xalign(hint.opaque, 0.5)
        let open = Widget.textButton("Open a Book…", openBook).styled("pill", "suggested-action")
        let last = Widget.textButton("") { model.openLastFile() }.styled("pill")
        let page = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 16, hint, last, open).expanding(vertically: true)
            .aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
        render {
            hint.setText(model.isOpening ? "Opening the book…" : "Open a text, HTML or EPUB book, or drop it here")
            for button in [open, last] { button.setEnabled(!model.isOpening) }
            last.setVisible(model.lastFile != nil)
            gtk_button_set_label(last.cast(), model.lastFileText)
        }
        return page
    }

    private static func heading(_ model: ReaderPanelModel, _ openBook: @escaping @MainActor () -> Void) -> Widget {
        let title = Widget.label("", "heading").ellipsized()
        let chapter = Widget.label("", "dim-label").ellipsized().expanding(horizontally: true)
        let progress = Widget.label("", "dim-label", "caption", "numeric")
        let open = Widget.button("document-open-symbolic", "Open a book", openBook).styled("flat")
        render {
            title.setText(model.title)
            chapter.setText(model.chapter)
        }
        render { progress.setText(model.progressText) }
        return .box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, title, chapter, progress, open).margins(8)
    }

    private func connect() {
        let clicks = gtk_gesture_click_new()
        Signal.connectClick(clicks.map { UnsafeMutableRawPointer($0) }) { [weak self] click in
            if click.count == 2 { self?.read(atX: click.x, y: click.y) }
        }
        gtk_widget_add_controller(text.pointer, clicks)
    }

    /// Reads from the sentence at a place of the window.
    private func read(atX x: Double, y: Double) {
        var (column, row): (gint, gint) = (0, 0)
        gtk_text_view_window_to_buffer_coords(text.cast(), GTK_TEXT_WINDOW_WIDGET, gint(x), gint(y), &column, &row)
        var place = GtkTextIter()
        gtk_text_view_get_iter_at_location(text.cast(), &place, column, row)
        model.read(fromCharacter: Int(gtk_text_iter_get_offset(&place)))
    }

    // MARK: The text

    private var buffer: UnsafeMutablePointer<GtkTextBuffer>? { gtk_text_view_get_buffer(text.cast()) }

    private func showText() {
        let section = model.section
        guard section != shown else { return }
        shown = section
        marked = [:]
        gtk_text_buffer_set_text(buffer, section?.text ?? "", -1)
        for heading in section?.headings ?? [] { mark(heading, "heading") }
        showPlace()
    }

    /// Marks what is heard and keeps it in sight.
    private func showPlace() {
        let (sentence, word) = (model.sentence, model.word)
        // The marks belong to the text that the model has now, which may be about to be shown.
        guard model.section == shown else { return }
        show(sentence, as: "sentence")
        guard show(word, as: "word") || word == nil, let start = word ?? sentence else { return }
        var iterator = iterator(at: start.lowerBound)
        gtk_text_buffer_move_mark(buffer, place, &iterator)
        gtk_text_view_scroll_to_mark(text.cast(), place, 0.2, 0, 0, 0)
    }

    /// Marks a range in place of the one before.
    ///
    /// - Returns: Whether it is another range.
    @discardableResult
    private func show(_ range: Range<Int>?, as tag: String) -> Bool {
        guard marked[tag] != range else { return false }
        if let before = marked[tag] {
            var (start, end) = (iterator(at: before.lowerBound), iterator(at: before.upperBound))
            gtk_text_buffer_remove_tag_by_name(buffer, tag, &start, &end)
        }
        marked[tag] = range
        if let range { mark(range, tag) }
        return true
    }

    private func mark(_ range: Range<Int>, _ tag: String) {
        var (start, end) = (iterator(at: range.lowerBound), iterator(at: range.upperBound))
        gtk_text_buffer_apply_tag_by_name(buffer, tag, &start, &end)
    }

    private func iterator(at character: Int) -> GtkTextIter {
        var place = GtkTextIter()
        gtk_text_buffer_get_iter_at_offset(buffer, &place, gint(character))
        return place
    }
}

/// The buttons of the reader, and its speed, engine and voice.
@MainActor
private struct ReaderControls {
    let widget: Widget

    init(_ model: ReaderPanelModel) {
        let parts = [Self.transport(model), Self.rate(model)]
        let bar = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 10)
        for part in parts { bar.append(part) }
        bar.append(
            Self.choice("Engine", { model.engineNames }, { model.engineIndex }) { model.setEngine($0) })
        bar.append(Self.choice("Voice", { model.voiceNames }, { model.voiceIndex }) { model.setVoice($0) })
        widget = bar.margins(8)
    }

    private static func transport(_ model: ReaderPanelModel) -> Widget {
        let previousChapter = Widget.button("media-skip-backward-symbolic", "Previous chapter") {
            model.move(by: .chapter, forward: false)
        }
        let previous = Widget.button("media-seek-backward-symbolic", "Previous sentence") {
            model.move(by: .sentence, forward: false)
        }
        let play = Widget.button("media-playback-start-symbolic", "Read aloud") { model.togglePause() }
            .styled("suggested-action")
        let next = Widget.button("media-seek-forward-symbolic", "Next sentence") {
            model.move(by: .sentence, forward: true)
        }
        let nextChapter = Widget.button("media-skip-forward-symbolic", "Next chapter") {
            model.move(by: .chapter, forward: true)
        }
        render {
            if model.isReading {
                play.setButton("media-playback-pause-symbolic", "Pause the reading")
            } else {
                play.setButton("media-playback-start-symbolic", "Read aloud")
            }
            for button in [previousChapter, nextChapter] { button.setEnabled(model.hasChapters) }
        }
        let buttons = Widget.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 6, role: GTK_ACCESSIBLE_ROLE_TOOLBAR, previousChapter, previous, play,
            next, nextChapter)
        descant_gtk_set_name(buttons.pointer, "Reading")
        for button in [previousChapter, previous, play, next, nextChapter] { button.styled("circular") }
        return buttons.expanding(horizontally: true)
    }

    private static func rate(_ model: ReaderPanelModel) -> Widget {
        let rates = ReaderPanelModel.rates
        let rate = Widget(gtk_spin_button_new_with_range(rates.lowerBound, rates.upperBound, 0.05)).named("Speed")
        gtk_spin_button_set_digits(rate.opaque, 2)
        gtk_widget_set_focus_on_click(rate.pointer, 0)
        let shown = Shown()
        Signal.connect(rate.pointer, "value-changed") {
            if !shown.isUpdating { model.setRate(gtk_spin_button_get_value(rate.opaque)) }
        }
        render {
            shown.isUpdating = true
            gtk_spin_button_set_value(rate.opaque, model.rate)
            shown.isUpdating = false
        }
        return rate
    }

    /// A list whose lines the model changes.
    private static func choice(
        _ name: String, _ texts: @escaping @MainActor () -> [String], _ index: @escaping @MainActor () -> Int,
        _ chosen: @escaping @MainActor (Int) -> Void
    ) -> Widget {
        let shown = Shown()
        let choice = Widget.choice(name, []) { if !shown.isUpdating { chosen($0) } }
        render {
            let texts = texts()
            shown.isUpdating = true
            if texts != shown.texts {
                shown.texts = texts
                choice.setChoices(texts)
            }
            choice.setChoice(index())
            shown.isUpdating = false
            choice.setVisible(!texts.isEmpty)
            choice.setEnabled(texts.count > 1)
        }
        return choice
    }

    /// What a control shows.
    private final class Shown {
        var texts: [String] = []
        /// Whether the control is being brought up to date: what it reports then is not the person's doing.
        var isUpdating = false
    }
}
