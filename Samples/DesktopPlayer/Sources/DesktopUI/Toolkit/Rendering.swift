internal import Observation

/// Shows something of the model now, and again after each change of what it has read.
///
/// - Parameter body: Reads the model and changes widgets.
@MainActor
func render(_ body: @escaping @MainActor () -> Void) {
    withObservationTracking(body) {
        // Called before the change; the main actor is free after it.
        Task { @MainActor in render(body) }
    }
}
