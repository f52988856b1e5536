internal import CGtk

/// Whether the desktop prefers dark windows, as the settings portal of the desktop says.
@MainActor
enum DesktopColors {
    /// Reports what the desktop prefers, now and after each change. Without a session bus or a portal nothing is reported.
    ///
    /// - Parameter changed: Called on the main thread.
    static func follow(_ changed: @escaping @MainActor (Bool) -> Void) {
        Self.changed = changed
        g_bus_get(G_BUS_TYPE_SESSION, nil, receiveBus, nil)
    }

    /// Called with what the desktop prefers.
    private static var changed: (@MainActor (Bool) -> Void)?

    fileprivate static func ask(on bus: OpaquePointer) {
        let (portal, path, settings) = (
            "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"
        )
        // Both live as long as the program.
        g_dbus_connection_signal_subscribe(
            bus, portal, settings, "SettingChanged", path, nil, G_DBUS_SIGNAL_FLAGS_NONE, receiveChange, nil, nil)
        g_dbus_connection_call(
            bus, portal, path, settings, "Read", descant_gtk_color_scheme_question(), nil,
            G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, nil, receiveAnswer, nil)
    }

    fileprivate static func note(_ message: OpaquePointer) {
        let scheme = descant_gtk_color_scheme(message)
        if scheme >= 0 { changed?(scheme == 1) }
    }
}

/// Called on the main thread with the session bus.
private func receiveBus(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ context: gpointer?) {
    guard let bus = g_bus_get_finish(result, nil) else { return }
    // Here and below: this is the main thread, and the pointer does not leave it.
    nonisolated(unsafe) let connection = bus
    MainActor.assumeIsolated { DesktopColors.ask(on: connection) }
}

/// Called on the main thread with the portal's answer, or without one when there is no portal.
private func receiveAnswer(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ context: gpointer?) {
    guard let bus = source.map({ OpaquePointer($0) }),
        let answer = g_dbus_connection_call_finish(bus, result, nil)
    else { return }
    defer { g_variant_unref(answer) }
    nonisolated(unsafe) let message = answer
    MainActor.assumeIsolated { DesktopColors.note(message) }
}

/// Called on the main thread when a setting of the desktop has changed.
private func receiveChange(
    _ bus: OpaquePointer?, _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?, _ signal: UnsafePointer<CChar>?, _ parameters: OpaquePointer?,
    _ context: gpointer?
) {
    guard let parameters else { return }
    nonisolated(unsafe) let message = parameters
    MainActor.assumeIsolated { DesktopColors.note(message) }
}
