internal import DescantCore
internal import Synchronization

/// A call that may hang: the caller goes on as soon as somebody gives it up, the call's late result is thrown away by
/// whoever made it.
final class OpenCall<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var isResolved = false
    }

    private let state = Mutex(State())

    /// Waits for the first of ``resolve(_:)`` and cancellation.
    ///
    /// - Parameter start: Begins the call.
    func run(start: @escaping @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let wasCancelled = state.withLock { state in
                    if !state.isResolved { state.continuation = continuation }
                    return state.isResolved
                }
                if wasCancelled { return continuation.resume(throwing: CancellationError()) }
                start()
            }
        } onCancel: {
            _ = self.resolve(.failure(CancellationError()))
        }
    }

    /// Ends the wait.
    ///
    /// - Returns: Whether somebody still waited; otherwise a value must be released by the caller.
    func resolve(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            defer {
                state.isResolved = true
                state.continuation = nil
            }
            return (!state.isResolved, state.continuation)
        }
        if isFirst { continuation?.resume(with: result) }
        return isFirst
    }
}
