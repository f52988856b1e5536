internal import CGtk

/// A widget, which belongs to the window that it lies in.
@MainActor
struct Widget {
    let pointer: UnsafeMutablePointer<GtkWidget>

    /// Wraps what a function of GTK has made; GTK ends the program itself when memory runs out.
    init(_ made: UnsafeMutablePointer<GtkWidget>?) {
        guard let made else { preconditionFailure("GTK has made no widget") }
        pointer = made
    }

    /// The same widget as the types take it whose fields GTK does not show.
    var opaque: OpaquePointer { OpaquePointer(pointer) }

    /// The same widget as a type that it is, as GTK's macros such as `GTK_BOX` say it.
    func cast<Kind>(to kind: Kind.Type = Kind.self) -> UnsafeMutablePointer<Kind> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: kind)
    }

    /// Sets what a screen reader says and what is shown under the pointer.
    @discardableResult
    func named(_ name: String) -> Widget {
        descant_gtk_set_name(pointer, name)
        gtk_widget_set_tooltip_text(pointer, name)
        return self
    }

    /// Sets what a screen reader says of a line of a list, which has the keyboard in the place of the widget in it.
    func nameLine(_ name: String) { descant_gtk_set_name(gtk_widget_get_parent(pointer) ?? pointer, name) }

    @discardableResult
    func styled(_ classes: String...) -> Widget {
        for name in classes { gtk_widget_add_css_class(pointer, name) }
        return self
    }

    @discardableResult
    func expanding(horizontally: Bool = false, vertically: Bool = false) -> Widget {
        if horizontally { gtk_widget_set_hexpand(pointer, 1) }
        if vertically { gtk_widget_set_vexpand(pointer, 1) }
        return self
    }

    @discardableResult
    func aligned(horizontally: GtkAlign? = nil, vertically: GtkAlign? = nil) -> Widget {
        if let horizontally { gtk_widget_set_halign(pointer, horizontally) }
        if let vertically { gtk_widget_set_valign(pointer, vertically) }
        return self
    }

    @discardableResult
    func margins(_ size: Int32) -> Widget {
        gtk_widget_set_margin_top(pointer, size)
        gtk_widget_set_margin_bottom(pointer, size)
        gtk_widget_set_margin_start(pointer, size)
        gtk_widget_set_margin_end(pointer, size)
        return self
    }

    @discardableResult
    func sized(_ width: Int32, _ height: Int32) -> Widget {
        gtk_widget_set_size_request(pointer, width, height)
        return self
    }

    func setEnabled(_ isEnabled: Bool) { gtk_widget_set_sensitive(pointer, isEnabled ? 1 : 0) }
    func setVisible(_ isVisible: Bool) { gtk_widget_set_visible(pointer, isVisible ? 1 : 0) }

    func setStyle(_ name: String, _ isOn: Bool) {
        if isOn { gtk_widget_add_css_class(pointer, name) } else { gtk_widget_remove_css_class(pointer, name) }
    }
}

// MARK: - Kinds of widgets

@MainActor
extension Widget {
    static func box(
        _ orientation: GtkOrientation, spacing: Int32 = 6, role: GtkAccessibleRole = GTK_ACCESSIBLE_ROLE_GROUP,
        _ children: Widget...
    ) -> Widget {
        let box = Widget(descant_gtk_box(orientation, spacing, role))
        for child in children { gtk_box_append(box.cast(), child.pointer) }
        return box
    }

    func append(_ child: Widget) { gtk_box_append(cast(), child.pointer) }

    static func label(_ text: String = "", _ classes: String...) -> Widget {
        let label = Widget(gtk_label_new(text))
        gtk_label_set_xalign(label.opaque, 0)
        for name in classes { label.styled(name) }
        return label
    }

    /// A label that ends in an ellipsis where there is no room.
    func ellipsized() -> Widget {
        gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
        return self
    }

    func setText(_ text: String) {
        if gtk_label_get_text(opaque).map({ String(cString: $0) }) != text { gtk_label_set_text(opaque, text) }
    }

    /// A button with a symbol. A click leaves the keyboard where it was, so that Space goes on to play and pause.
    static func button(_ icon: String, _ name: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button = Widget(gtk_button_new_from_icon_name(icon)).named(name)
        gtk_widget_set_focus_on_click(button.pointer, 0)
        Signal.connect(button.pointer, "clicked", action)
        return button
    }

    static func textButton(_ text: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button = Widget(gtk_button_new_with_label(text))
        gtk_widget_set_focus_on_click(button.pointer, 0)
        Signal.connect(button.pointer, "clicked", action)
        return button
    }

    /// Changes the symbol and the name of a button.
    func setButton(_ icon: String, _ name: String) {
        guard gtk_button_get_icon_name(cast()).map({ String(cString: $0) }) != icon || tooltip != name else { return }
        gtk_button_set_icon_name(cast(), icon)
        named(name)
    }

    private var tooltip: String? { gtk_widget_get_tooltip_text(pointer).map { String(cString: $0) } }

    static func slider(
        _ orientation: GtkOrientation, _ name: String, from low: Double, to high: Double, step: Double,
        _ moved: @escaping @MainActor (Double) -> Void
    ) -> Widget {
        let slider = Widget(gtk_scale_new_with_range(orientation, low, high, step)).named(name)
        gtk_scale_set_draw_value(slider.cast(), 0)
        // A notch of the wheel moves a slider by its page, which is ten steps otherwise.
        gtk_range_set_increments(slider.cast(), step, step)
        gtk_widget_set_focus_on_click(slider.pointer, 0)
        // The value may lie outside of the range, which may have changed since.
        Signal.connectSlider(slider.pointer) { value in
            let range = gtk_range_get_adjustment(slider.cast())
            moved(min(gtk_adjustment_get_upper(range), max(gtk_adjustment_get_lower(range), value)))
        }
        return slider
    }

    /// Shows a value without telling the listener, which hears only what a person does.
    func setSlider(_ value: Double) {
        if gtk_range_get_value(cast()) != value { gtk_range_set_value(cast(), value) }
    }

    func setSliderLength(_ length: Double) {
        if gtk_adjustment_get_upper(gtk_range_get_adjustment(cast())) != length {
            gtk_range_set_range(cast(), 0, length)
        }
    }

    static func scrolled(_ child: Widget) -> Widget {
        let scrolled = Widget(gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(scrolled.opaque, child.pointer)
        // What is in it takes the keyboard, and scrolls it.
        gtk_widget_set_focusable(scrolled.pointer, 0)
        return scrolled.expanding(horizontally: true, vertically: true)
    }

    /// Lets Tab go through the controls of a line of this list, which lies in a scrolled widget, and then leave the list.
    func leaveByTab() {
        let tabs = [GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab, GDK_KEY_KP_Tab].map { guint($0) }
        let keys = gtk_event_controller_key_new()
        Signal.connectKey(keys.map { UnsafeMutableRawPointer($0) }) { key in
            guard tabs.contains(key.value) else { return false }
            descant_gtk_tab(pointer, key.modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0)
            return true
        }
        gtk_widget_add_controller(pointer, keys)
    }

    /// The number of lines of a list view.
    var lineCount: Int { Int(g_list_model_get_n_items(gtk_list_view_get_model(opaque))) }

    /// How far a list view is scrolled, from 0 for its beginning to 1 for its end.
    var scrolledShare: Double {
        guard let range = gtk_scrollable_get_vadjustment(opaque) else { return 0 }
        let length = gtk_adjustment_get_upper(range) - gtk_adjustment_get_page_size(range)
        return length > 0 ? gtk_adjustment_get_value(range) / length : 0
    }

    /// A row of a form: a text and a control with a name of its own.
    static func row(_ text: String, _ control: Widget) -> Widget {
        box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 12, .label(text).expanding(horizontally: true),
            control.aligned(vertically: GTK_ALIGN_CENTER))
    }

    static func choice(_ name: String, _ texts: [String], _ chosen: @escaping @MainActor (Int) -> Void) -> Widget {
        let choice = Widget(gtk_drop_down_new(stringList(texts), nil)).named(name)
        choice.describeChoice()
        Signal.connectChange(choice.pointer, of: "selected") {
            choice.describeChoice()
            chosen(Int(gtk_drop_down_get_selected(choice.opaque)))
        }
        return choice
    }

    /// Reports the line that a person chooses from these choices, also when it is the present one.
    func connectChoice(_ chosen: @escaping @MainActor (Int) -> Void) {
        if let list = descant_gtk_list_view(pointer) { Signal.connectNumber(list, "activate", chosen) }
    }

    private static func stringList(_ texts: [String]) -> OpaquePointer? {
        let list = gtk_string_list_new(nil)
        for text in texts { gtk_string_list_append(list, text) }
        return list
    }

    /// The focus is on the list's button, whose text is the choice alone: screen readers get the name with it.
    private func describeChoice() {
        guard let button = gtk_widget_get_first_child(pointer),
            let text = gtk_string_list_get_string(
                gtk_drop_down_get_model(opaque), gtk_drop_down_get_selected(opaque))
        else { return }
        descant_gtk_set_name(button, "\(tooltip ?? ""): \(String(cString: text))")
    }

    /// Changes what can be chosen. The listener hears of it, too, when another line is selected by it.
    func setChoices(_ texts: [String]) {
        let list = Self.stringList(texts)
        gtk_drop_down_set_model(opaque, list)
        if let list { g_object_unref(UnsafeMutableRawPointer(list)) }
        describeChoice()
    }

    func setChoice(_ index: Int) {
        if Int(gtk_drop_down_get_selected(opaque)) != index { gtk_drop_down_set_selected(opaque, guint(index)) }
    }

    static func toggle(_ name: String, _ switched: @escaping @MainActor (Bool) -> Void) -> Widget {
        let toggle = Widget(gtk_switch_new()).named(name)
        gtk_widget_set_focus_on_click(toggle.pointer, 0)
        Signal.connectChange(toggle.pointer, of: "active") { switched(gtk_switch_get_active(toggle.opaque) != 0) }
        return toggle
    }

    func setToggle(_ isOn: Bool) {
        if (gtk_switch_get_active(opaque) != 0) != isOn { gtk_switch_set_active(opaque, isOn ? 1 : 0) }
    }
}
