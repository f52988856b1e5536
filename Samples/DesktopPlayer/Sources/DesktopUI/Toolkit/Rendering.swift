internal import CGtk
internal import Observation

/// Shows something of the model now, and again after changes of what it has read, once for all changes between two frames.
///
/// - Parameter body: Reads the model and changes widgets.
@MainActor
func render(_ body: @escaping @MainActor () -> Void) {
    withObservationTracking(body) {
        // Called before the change; the main actor is free after it.
        Task { @MainActor in Rendering.add(body) }
    }
}

/// What is to be shown anew.
@MainActor
private enum Rendering {
    /// The time of a frame, in milliseconds.
    private static let interval = 16
    private static var waiting: [@MainActor () -> Void] = []
    /// When something was shown last, on the monotonic clock, in milliseconds.
    private static var last = 0

    static func add(_ body: @escaping @MainActor () -> Void) {
        waiting.append(body)
        guard waiting.count == 1 else { return }
        MainLoop.after(milliseconds: max(0, last + interval - now)) {
            let bodies = waiting
            waiting = []
            for body in bodies { render(body) }
            last = now
        }
    }

    private static var now: Int { Int(g_get_monotonic_time() / 1_000) }
}
