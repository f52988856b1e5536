internal import DescantCore
internal import Synchronization

/// A call that may hang, awaited with a limit: the caller goes on when the limit has passed, the call's late result is
/// thrown away by whoever made it.
final class OpenCall<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var isResolved = false
    }

    private let state = Mutex(State())

    /// Waits for the first of result, limit and cancellation.
    ///
    /// - Parameters:
    ///   - limit: Seconds until the call counts as hanging.
    ///   - late: Makes the error for a call that hangs; also the place to report it.
    ///   - start: Begins the call, which ends with ``resolve(_:)``.
    func run(limit: Double, late: @escaping @Sendable () -> any Error, start: @escaping @Sendable () -> Void)
        async throws
        -> Value
    {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let wasCancelled = state.withLock { state in
                    if !state.isResolved { state.continuation = continuation }
                    return state.isResolved
                }
                if wasCancelled { return continuation.resume(throwing: CancellationError()) }
                OwnThread.run(after: limit) { [weak self] in
                    guard let self, !self.state.withLock({ $0.isResolved }) else { return }
                    _ = self.resolve(.failure(late()))
                }
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
