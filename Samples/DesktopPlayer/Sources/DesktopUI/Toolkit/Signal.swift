internal import CGtk
internal import Foundation

/// A Swift function that a signal of GTK calls, with what the signal brings.
///
/// GTK calls on the thread of its main loop, which is the main thread. The handler lives as long as the connection.
final class Handler<Arguments, Result: Sendable> {
    private let body: @MainActor (Arguments) -> Result

    private init(_ body: @escaping @MainActor (Arguments) -> Result) { self.body = body }

    /// A handler as C takes it; ``release(_:)`` ends it.
    static func retained(_ body: @escaping @MainActor (Arguments) -> Result) -> gpointer {
        Unmanaged.passRetained(Handler(body)).toOpaque()
    }

    /// Calls a handler.
    ///
    /// - Parameters:
    ///   - context: A handler; GTK hands it back as it was given.
    ///   - arguments: What the signal brings.
    static func run(_ context: gpointer?, _ arguments: Arguments) -> Result {
        guard let context else { preconditionFailure("GTK has lost the context of a signal") }
        // Pointers of GTK are used on the main thread only, and this is it: nothing is sent elsewhere.
        nonisolated(unsafe) let (handler, arguments) = (
            Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue(), arguments
        )
        return MainActor.assumeIsolated { handler.body(arguments) }
    }

    static func release(_ context: gpointer?) {
        if let context { Unmanaged<Handler>.fromOpaque(context).release() }
    }
}

/// The signals that the views use, one function for each form of C callback.
@MainActor
enum Signal {
    /// A signal without arguments, such as `clicked`.
    static func connect(_ object: gpointer?, _ name: String, _ body: @escaping @MainActor () -> Void) {
        let callback: @convention(c) (gpointer?, gpointer?) -> Void = { Handler<Void, Void>.run($1, ()) }
        connect(object, name, callback, Handler<Void, Void>.retained { _ in body() }) { context, _ in
            Handler<Void, Void>.release(context)
        }
    }

    /// The change of a property.
    static func connectChange(
        _ object: gpointer?, of property: String, _ body: @escaping @MainActor () -> Void
    ) {
        let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { Handler<Void, Void>.run($2, ()) }
        connect(object, "notify::\(property)", callback, Handler<Void, Void>.retained { _ in body() }) { context, _ in
            Handler<Void, Void>.release(context)
        }
    }

    /// `drag-begin` of a source.
    static func connectDragBegin(_ source: OpaquePointer?, _ body: @escaping @MainActor () -> Void) {
        let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { Handler<Void, Void>.run($2, ()) }
        connect(
            source.map { UnsafeMutableRawPointer($0) }, "drag-begin", callback,
            Handler<Void, Void>.retained { _ in body() }
        ) { context, _ in Handler<Void, Void>.release(context) }
    }

    /// `activate` of an action.
    static func connectAction(_ action: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
        let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { Handler<Void, Void>.run($2, ()) }
        connect(
            UnsafeMutableRawPointer(action), "activate", callback, Handler<Void, Void>.retained { _ in body() }
        ) { context, _ in Handler<Void, Void>.release(context) }
    }

    /// `row-activated` of a list box: the row's number.
    static func connectRow(_ object: gpointer?, _ body: @escaping @MainActor (Int) -> Void) {
        let callback: @convention(c) (gpointer?, UnsafeMutablePointer<GtkListBoxRow>?, gpointer?) -> Void = {
            Handler<Int, Void>.run($2, Int(gtk_list_box_row_get_index($1)))
        }
        connect(object, "row-activated", callback, Handler<Int, Void>.retained(body)) { context, _ in
            Handler<Int, Void>.release(context)
        }
    }

    /// `close-request`: returns whether the window stays.
    static func connectClose(_ object: gpointer?, _ body: @escaping @MainActor () -> Bool) {
        let callback: @convention(c) (gpointer?, gpointer?) -> gboolean = {
            Handler<Void, Bool>.run($1, ()) ? 1 : 0
        }
        connect(object, "close-request", callback, Handler<Void, Bool>.retained { _ in body() }) { context, _ in
            Handler<Void, Bool>.release(context)
        }
    }

    /// A signal with one number: `activate` of a list, `response` of a dialog.
    static func connectNumber(_ object: gpointer?, _ name: String, _ body: @escaping @MainActor (Int) -> Void) {
        let callback: @convention(c) (gpointer?, CInt, gpointer?) -> Void = {
            Handler<Int, Void>.run($2, Int($1))
        }
        connect(object, name, callback, Handler<Int, Void>.retained(body)) { context, _ in
            Handler<Int, Void>.release(context)
        }
    }

    /// `selection-changed` of a selection.
    static func connectSelection(_ object: gpointer?, _ body: @escaping @MainActor () -> Void) {
        let callback: @convention(c) (gpointer?, guint, guint, gpointer?) -> Void = {
            Handler<Void, Void>.run($3, ())
        }
        connect(object, "selection-changed", callback, Handler<Void, Void>.retained { _ in body() }) { context, _ in
            Handler<Void, Void>.release(context)
        }
    }

    /// `change-value` of a slider that a person moves.
    static func connectSlider(_ object: gpointer?, _ body: @escaping @MainActor (Double) -> Void) {
        let callback: @convention(c) (gpointer?, GtkScrollType, Double, gpointer?) -> gboolean = {
            Handler<Double, Void>.run($3, $2)
            return 0
        }
        connect(object, "change-value", callback, Handler<Double, Void>.retained(body)) { context, _ in
            Handler<Double, Void>.release(context)
        }
    }

    /// `setup`, `bind`, `unbind` and `teardown` of a list's factory.
    static func connectItem(_ object: gpointer?, _ name: String, _ body: @escaping @MainActor (OpaquePointer) -> Void) {
        let callback: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, context in
            if let item { Handler<OpaquePointer, Void>.run(context, item) }
        }
        connect(object, name, callback, Handler<OpaquePointer, Void>.retained(body)) { context, _ in
            Handler<OpaquePointer, Void>.release(context)
        }
    }

    /// A pressed key.
    struct Key {
        /// The symbol that is typed.
        let value: guint
        /// The key itself, whatever the keyboard's layout.
        let code: guint
        let modifiers: GdkModifierType
    }

    /// `key-pressed` of a controller: returns whether the key is used.
    static func connectKey(_ object: gpointer?, _ body: @escaping @MainActor (Key) -> Bool) {
        let callback: @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
            Handler<Key, Bool>.run($4, Key(value: $1, code: $2, modifiers: $3)) ? 1 : 0
        }
        connect(object, "key-pressed", callback, Handler<Key, Bool>.retained(body)) { context, _ in
            Handler<Key, Bool>.release(context)
        }
    }

    /// A click.
    struct Click {
        let count: Int
        let x: Double
        let y: Double
    }

    /// `pressed` of a gesture.
    static func connectClick(_ object: gpointer?, _ body: @escaping @MainActor (Click) -> Void) {
        let callback: @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void = {
            Handler<Click, Void>.run($4, Click(count: Int($1), x: $2, y: $3))
        }
        connect(object, "pressed", callback, Handler<Click, Void>.retained(body)) { context, _ in
            Handler<Click, Void>.release(context)
        }
    }

    /// A turn of the wheel, or a move on a touchpad.
    struct Scroll {
        /// How far down; negative for up.
        let distance: Double
        /// Whether the distance is in notches of a wheel; otherwise it is in pixels.
        let isInNotches: Bool
    }

    /// `scroll` of a controller, whose event no other widget gets then.
    static func connectScroll(_ controller: OpaquePointer?, _ body: @escaping @MainActor (Scroll) -> Void) {
        let callback: @convention(c) (OpaquePointer?, Double, Double, gpointer?) -> gboolean = {
            let isInNotches = descant_gtk_scrolls_by_notches($0)
            Handler<Scroll, Void>.run($3, Scroll(distance: $2, isInNotches: isInNotches))
            return 1
        }
        connect(
            controller.map { UnsafeMutableRawPointer($0) }, "scroll", callback, Handler<Scroll, Void>.retained(body)
        ) { context, _ in Handler<Scroll, Void>.release(context) }
    }

    /// Something that was dropped.
    struct Drop {
        let value: UnsafePointer<GValue>
        let y: Double
    }

    /// `drop` of a target: returns whether it was taken.
    static func connectDrop(_ object: gpointer?, _ body: @escaping @MainActor (Drop) -> Bool) {
        let callback: @convention(c) (gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?) -> gboolean = {
            guard let value = $1 else { return 0 }
            return Handler<Drop, Bool>.run($4, Drop(value: value, y: $3)) ? 1 : 0
        }
        connect(object, "drop", callback, Handler<Drop, Bool>.retained(body)) { context, _ in
            Handler<Drop, Bool>.release(context)
        }
    }

    /// `open` of an application.
    static func connectOpen(_ object: gpointer?, _ body: @escaping @MainActor ([String]) -> Void) {
        let callback:
            @convention(c) (
                gpointer?, UnsafeMutablePointer<OpaquePointer?>?, gint, UnsafePointer<CChar>?, gpointer?
            ) -> Void = { _, files, count, _, context in
                let files = UnsafeBufferPointer(start: files, count: Int(count))
                Handler<[String], Void>.run(context, files.compactMap { $0.flatMap(address) })
            }
        connect(object, "open", callback, Handler<[String], Void>.retained(body)) { context, _ in
            Handler<[String], Void>.release(context)
        }
    }

    /// Connects a C function. The cast is what `G_CALLBACK` does: GTK calls it with the arguments that it has.
    private static func connect<Callback>(
        _ object: gpointer?, _ name: String, _ callback: Callback, _ context: gpointer, _ release: GClosureNotify?
    ) {
        g_signal_connect_data(
            object, name, unsafeBitCast(callback, to: GCallback.self), context, release, GConnectFlags(rawValue: 0))
    }
}

/// The address of a `GFile`. A share that the desktop has mounted has a path, by which folders, playlists and tags are read.
func address(of file: OpaquePointer) -> String? {
    if let path = g_file_get_path(file) {
        defer { g_free(path) }
        return URL(filePath: String(cString: path), directoryHint: .notDirectory).absoluteString
    }
    guard let text = g_file_get_uri(file) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
}
