/// Runs an operation with a time limit, and cancels it when the limit is reached.
///
/// - Throws: The operation's error; ``LinkError/tooSlow(_:)`` with the name of the step when the limit was reached.
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
