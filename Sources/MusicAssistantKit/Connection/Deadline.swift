/// Runs something that may take no longer than a limit; what takes longer is cancelled.
///
/// - Throws: What the operation throws; ``LinkError/tooSlow(_:)`` with the name of the step when the limit was reached.
func within<Value: Sendable>(
    _ limit: Duration, on clock: any ClientClock, _ step: String,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let deadline = clock.uptime + limit
    return try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(until: deadline)
            throw LinkError.tooSlow(step)
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
