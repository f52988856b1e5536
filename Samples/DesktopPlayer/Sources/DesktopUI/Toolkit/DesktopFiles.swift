internal import CGtk
internal import Foundation

/// The desktop's file manager.
@MainActor
enum DesktopFiles {
    /// Shows a file in its folder: selected, or the folder alone where the desktop has no file manager that selects files.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - failed: Called with a message when no program shows the folder.
    static func show(_ file: URL, _ failed: @escaping @MainActor (String) -> Void) {
        guard let bus = g_application_get_dbus_connection(g_application_get_default()) else {
            return showFolder(of: file, failed)
        }
        let name = "org.freedesktop.FileManager1"
        g_dbus_connection_call(
            bus, name, "/org/freedesktop/FileManager1", name, "ShowItems",
            descant_gtk_show_file_request(file.absoluteString), nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, receiveShown,
            Handler<Bool, Void>.retained { isShown in if !isShown { showFolder(of: file, failed) } })
    }

    /// Opens the folder of a file with the program that the desktop has for folders.
    private static func showFolder(of file: URL, _ failed: @escaping @MainActor (String) -> Void) {
        let folder = file.deletingLastPathComponent()
        g_app_info_launch_default_for_uri_async(
            folder.absoluteString, nil, nil, receiveLaunched,
            Handler<String?, Void>.retained { problem in
                if let problem { failed("\(folder.path) cannot be shown: \(problem)") }
            })
    }
}

/// Called on the main thread with the file manager's answer, or without one when there is no file manager.
private func receiveShown(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ context: gpointer?) {
    let answer = source.flatMap { g_dbus_connection_call_finish(OpaquePointer($0), result, nil) }
    if let answer { g_variant_unref(answer) }
    Handler<Bool, Void>.run(context, answer != nil)
    Handler<Bool, Void>.release(context)
}

/// Called on the main thread when a program was started for a folder, or could not be.
private func receiveLaunched(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ context: gpointer?) {
    var error: UnsafeMutablePointer<GError>?
    let isLaunched = g_app_info_launch_default_for_uri_finish(result, &error) != 0
    let problem = isLaunched ? nil : error.map { String(cString: $0.pointee.message) } ?? "the desktop gives no reason"
    if let error { g_error_free(error) }
    Handler<String?, Void>.run(context, problem)
    Handler<String?, Void>.release(context)
}
