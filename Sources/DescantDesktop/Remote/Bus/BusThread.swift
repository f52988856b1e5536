internal import CGio
internal import Foundation
internal import Synchronization

/// A thread with its own main loop, for all work on a bus.
///
/// The pointers exist before the thread runs, never change, and GLib allows their use from any thread; hence
/// the unchecked conformance.
final class BusThread: @unchecked Sendable {
    private let context: OpaquePointer?
    private let loop: OpaquePointer?
    /// Whether the loop has been told to end.
    private let isOver = Mutex(false)

    init(name: String) {
        context = g_main_context_new()
        loop = g_main_loop_new(context, 0)
        // The thread has its own reference: it may outlive this object by its last iteration.
        let pointers = LoopPointers(context: context, loop: g_main_loop_ref(loop))
        let thread = Thread {
            g_main_context_push_thread_default(pointers.context)
            g_main_loop_run(pointers.loop)
            // Runs the blocks that were posted just before the end.
            while g_main_context_iteration(pointers.context, 0) != 0 {}
            g_main_context_pop_thread_default(pointers.context)
            g_main_loop_unref(pointers.loop)
        }
        thread.name = name
        thread.start()
    }

    deinit {
        g_main_loop_unref(loop)
        g_main_context_unref(context)
    }

    /// Runs work on the thread, in the order of the calls; any thread. Work that comes after the thread's end is released without running:
    /// what it keeps may keep this object.
    func post(_ work: @escaping @Sendable () -> Void) { attach(g_idle_source_new(), work) }

    /// Runs work on the thread after some seconds.
    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        attach(g_timeout_source_new(guint(seconds * 1000)), work)
    }

    /// Ends the thread a second after everything posted so far has run. By then GLib has posted what releases a connection that has ended,
    /// which it does from a thread of its own. Without that, the connection would keep the loop, and the loop the connection.
    func stop() {
        post(after: 1) { [self] in
            isOver.withLock { $0 = true }
            g_main_loop_quit(loop)
        }
    }

    private func attach(_ source: UnsafeMutablePointer<GSource>?, _ work: @escaping @Sendable () -> Void) {
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(source, runBusWork, BusCallback.retained(work), releaseBusCallback)
        isOver.withLock { isOver in
            if !isOver { g_source_attach(source, context) }
        }
        // Outside the lock: what is released here may post, too.
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
