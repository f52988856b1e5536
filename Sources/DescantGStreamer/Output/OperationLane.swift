internal import Synchronization

/// Lets the operations of an output pass one at a time, in the order in which they came.
final class OperationLane: Sendable {
    private struct State {
        var isBusy = false
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs an operation when all earlier ones are done.
    func run<Value: Sendable, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        return try await operation()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                state.queue.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }
}
