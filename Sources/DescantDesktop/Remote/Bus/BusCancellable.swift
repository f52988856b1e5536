internal import CGio

/// Ends an operation before its time.
///
/// The pointer never changes and GLib allows it to be used from any thread; hence the unchecked conformance.
final class BusCancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>? = g_cancellable_new()

    deinit { g_object_unref(pointer) }

    func cancel() { g_cancellable_cancel(pointer) }
}
