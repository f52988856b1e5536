internal import CGio

/// Ends an operation before its time.
///
/// The pointer never changes and GLib allows it to be used from any thread; hence the unchecked conformance.
final class BusCancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>? = g_cancellable_new()

    deinit { g_object_unref(pointer) }

    var isCancelled: Bool { g_cancellable_is_cancelled(pointer) != 0 }

    func cancel() { g_cancellable_cancel(pointer) }
}
