internal import DescantCore
internal import Synchronization

/// A value that is waited for only so long; when it comes later, somebody else gets it.
final class FirstInTime<Value: Sendable>: Sendable {
    private let waiting = Mutex<CheckedContinuation<Value?, Never>?>(nil)

    /// Waits.
    ///
    /// - Parameters:
    ///   - seconds: How long.
    ///   - work: Finds the value; `nil` when there is none.
    ///   - late: Receives a value that came too late.
    /// - Returns: The value; `nil` when there is none or it takes longer.
    func value(
        within seconds: Double, work: @escaping @Sendable () async -> Value?, late: @escaping @Sendable (Value) -> Void
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            OwnThread.run(after: seconds) { [weak self] in _ = self?.finish(nil) }
            Task {
                let found = await work()
                if !finish(found), let found { late(found) }
            }
        }
    }

    private func finish(_ value: Value?) -> Bool {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: value)
        return continuation != nil
    }
}
