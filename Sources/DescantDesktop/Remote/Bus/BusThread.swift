internal import CGio
internal import Foundation

/// A thread with its own main loop, for all work on a bus.
///
/// The pointers exist before the thread runs, never change, and GLib allows their use from any thread; hence
/// the unchecked conformance.
final class BusThread: @unchecked Sendable {
    private let context: OpaquePointer?
    private let loop: OpaquePointer?

    init(name: String) {
        context = g_main_context_new()
        loop = g_main_loop_new(context, 0)
        // The thread has its own reference: it may outlive this object by its last iteration.
        let pointers = LoopPointers(context: context, loop: g_main_loop_ref(loop))
        let thread = Thread {
            g_main_context_push_thread_default(pointers.context)
            g_main_loop_run(pointers.loop)
            g_main_context_pop_thread_default(pointers.context)
            g_main_loop_unref(pointers.loop)
        }
        thread.name = name
        thread.start()
    }

    deinit {
        // Work that was posted after the end never runs, and is released with the context.
        g_main_loop_unref(loop)
        g_main_context_unref(context)
    }

    /// Runs work on the thread, in the order of the calls; any thread. After ``stop()`` it does not run any more.
    func post(_ work: @escaping @Sendable () -> Void) { attach(g_idle_source_new(), work) }

    /// Runs work on the thread after some seconds.
    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        attach(g_timeout_source_new(guint(seconds * 1000)), work)
    }

    /// Ends the thread once everything posted so far has run, and what GLib still posts to release a connection that has ended. Without
    /// that, the connection would keep the loop, and the loop the connection.
    func stop() {
        post(after: 0.05) { [self] in g_main_loop_quit(loop) }
    }

    private func attach(_ source: UnsafeMutablePointer<GSource>?, _ work: @escaping @Sendable () -> Void) {
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(source, runBusWork, BusCallback.retained(work), releaseBusCallback)
        g_source_attach(source, context)
        g_source_unref(source)
    }
}

/// The pointers of a loop, for the thread that runs it; GLib's loops may be used from any thread.
private struct LoopPointers: @unchecked Sendable {
    let context: OpaquePointer?
    let loop: OpaquePointer?
}

private func runBusWork(_ data: gpointer?) -> gboolean {
    BusCallback<@Sendable () -> Void>.value(data)()
    return 0
}
