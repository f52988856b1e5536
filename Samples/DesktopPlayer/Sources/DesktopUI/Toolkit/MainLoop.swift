internal import CGtk

/// The main actor under GTK's main loop.
enum MainLoop {
    /// Lets GTK's main loop run the work of the main actor, which is that of Dispatch's main queue.
    @MainActor static func adoptMainActor() {
        // Of GTK's priority for drawing: with a higher one, work that does not end would keep the window from being drawn.
        _ = g_unix_fd_add_full(
            G_PRIORITY_HIGH_IDLE + 20, _dispatch_get_main_queue_handle_4CF(), G_IO_IN, runMainQueue, nil, nil)
    }

    /// Calls a function on the main thread after a time, before the next frame is drawn.
    ///
    /// - Parameters:
    ///   - milliseconds: The time.
    ///   - body: What to do.
    @MainActor static func after(milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
        g_timeout_add_full(
            G_PRIORITY_HIGH_IDLE + 10, guint(milliseconds), runOnce, Handler<Void, Void>.retained { _ in body() },
            releaseSource)
    }

    /// Calls a function on the main thread for each arrival of a signal of the process.
    ///
    /// - Parameters:
    ///   - number: The signal, such as SIGTERM.
    ///   - body: What to do.
    @MainActor static func onSignal(_ number: Int32, _ body: @escaping @MainActor () -> Void) {
        g_unix_signal_add_full(
            G_PRIORITY_DEFAULT, number, runSource, Handler<Void, Void>.retained { _ in body() }, releaseSource)
    }
}

/// Called by GLib when Dispatch has work for the main thread. The descriptor is an eventfd: reading it sets it back.
private func runMainQueue(_ descriptor: gint, _ condition: GIOCondition, _ context: gpointer?) -> gboolean {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
    return 1
}

private func runSource(_ context: gpointer?) -> gboolean {
    Handler<Void, Void>.run(context, ())
    return 1
}

private func runOnce(_ context: gpointer?) -> gboolean {
    Handler<Void, Void>.run(context, ())
    return 0
}

private func releaseSource(_ context: gpointer?) { Handler<Void, Void>.release(context) }
