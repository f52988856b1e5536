public import Foundation

/// The clock of a client; tests use one that they advance.
public protocol ClientClock: Sendable {
    /// Time that never runs backwards, from any origin.
    var uptime: Duration { get }
    /// The present date, to compare with the server's dates.
    var date: Date { get }
    /// Returns when ``uptime`` has reached a time; at once for a time in the past.
    ///
    /// - Parameter time: The time to wait for.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until time: Duration) async throws
}

/// The machine's clock.
public struct SystemClock: ClientClock {
    private static let origin = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// Time since the clock was first used; it passes while the machine sleeps.
    public var uptime: Duration { ContinuousClock.now - Self.origin }

    /// The present date.
    public var date: Date { Date() }

    /// Sleeps.
    public func sleep(until time: Duration) async throws {
        try await Task.sleep(until: Self.origin + time, clock: .continuous)
    }
}
