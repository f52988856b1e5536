internal import CGio
internal import DescantCore

/// A short connection to a bus, with one time limit for all calls.
final class BusSession: Sendable {
    private let thread: BusThread
    private let connection: BusConnection
    private let deadline: UInt64
    private let clock = MonotonicClock()

    private init(_ connection: BusConnection, on thread: BusThread, until deadline: UInt64) {
        self.connection = connection
        self.thread = thread
        self.deadline = deadline
    }

    /// Connects to a bus.
    ///
    /// - Parameters:
    ///   - address: The address of the bus.
    ///   - limit: The maximum duration of the session, in seconds.
    /// - Throws: `CoreError` when the bus does not answer in time, or refuses.
    static func open(at address: String, limit: Double) async throws -> BusSession {
        let thread = BusThread(name: "descant-bus-session")
        let cancellable = BusCancellable()
        let deadline = MonotonicClock().now() + UInt64(limit * 1e9)
        let connection = try await withCheckedThrowingContinuation { continuation in
            let result = Promise<Result<BusConnection, CoreError>> { continuation.resume(with: $0) }
            thread.post {
                BusConnection.open(address, cancellable: cancellable) { opened in
                    result.resolve(opened)
                    if case .failure = opened { return thread.stop() }
                    // The caller has its error already.
                    if cancellable.isCancelled { thread.stop() }
                }
                // A strong reference would keep the connection, which keeps this timer.
                thread.post(after: limit) { [weak result] in
                    cancellable.cancel()
                    result?.resolve(.failure(.ioError("\(address) does not answer")))
                }
            }
        }
        return BusSession(connection, on: thread, until: deadline)
    }

    /// Closes the connection without waiting. Call it once, after the last answer.
    func close() { connection.close(on: thread) { [thread] in thread.stop() } }

    /// Calls a method.
    ///
    /// - Throws: ``BusError`` when it fails, or has no answer at the end of the time limit.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = []
    ) async throws -> [BusValue] {
        let now = clock.now()
        guard now + 1_000_000 <= deadline else { throw BusError.timeout("there is no time left for \(method)") }
        let limit = Double(deadline - now) / 1e9
        let (connection, thread) = (connection, thread)
        return try await withCheckedThrowingContinuation { continuation in
            thread.post {
                connection.call(destination, path, interface, method, arguments, limit: limit) {
                    continuation.resume(with: $0)
                }
            }
        }
    }

    /// Calls the bus itself.
    func bus(_ method: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
        try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
    }

    /// The process that owns a name, as the bus numbers processes.
    ///
    /// - Parameter name: A name on the bus; `nil` for this connection.
    func process(of name: String? = nil) async throws -> UInt32 {
        let answer = try await bus("GetConnectionUnixProcessID", [.string(name ?? connection.uniqueName)])
        guard let process = answer.first?.uint32, process > 0 else { throw BusError.failed("unknown process") }
        return process
    }
}
