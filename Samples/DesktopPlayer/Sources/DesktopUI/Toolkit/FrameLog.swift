internal import CGtk
internal import Foundation

/// The frames of a window as lines of a file, for measurements from outside.
///
/// A line has the time at which the display had drawn the frame, in microseconds of the monotonic clock, and what the window shows. Frames follow each
/// other without a pause, so two of them lie further apart than the frames of the display only when the main thread was busy.
@MainActor
enum FrameLog {
    /// The variable that names the file; without it nothing is logged.
    private static let variable = "DESCANT_FRAME_LOG"

    /// Begins to log, if the file is named.
    ///
    /// - Parameters:
    ///   - window: A window that is shown.
    ///   - content: What the window shows.
    static func start(_ window: Widget, content: @escaping @MainActor () -> String) {
        guard let path = ProcessInfo.processInfo.environment[variable],
            let clock = gtk_widget_get_frame_clock(window.pointer)
        else { return }
        guard let file = fopen(path, "a") else {
            let reason = String(cString: strerror(errno))
            return FileHandle.standardError.write(Data("\(variable): \(path) cannot be written: \(reason)\n".utf8))
        }
        gdk_frame_clock_begin_updating(clock)
        Signal.connect(UnsafeMutableRawPointer(clock), "after-paint") {
            gdk_display_sync(gtk_widget_get_display(window.pointer))
            fputs("\(g_get_monotonic_time()) \(content())\n", file)
            fflush(file)
        }
    }
}
