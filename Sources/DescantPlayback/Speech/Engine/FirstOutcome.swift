internal import Synchronization

/// The first of several outcomes, for one task that waits for it.
final class FirstOutcome: Sendable {
    private struct State {
        var outcome: Result<Void, any Error>?
        var waiting: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Settles it, unless it is settled.
    func settle(_ outcome: Result<Void, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: outcome)
    }

    /// Waits for it.
    var value: Void {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        }
    }
}
