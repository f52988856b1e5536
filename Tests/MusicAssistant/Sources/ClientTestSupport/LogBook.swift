public import MusicAssistantKit
internal import Synchronization

/// Records the log of a client.
public final class LogBook: Sendable {
    private let lines = Mutex<[LogEntry]>([])

    /// Creates an empty log.
    public init() {}

    /// All entries so far.
    public var entries: [LogEntry] { lines.withLock { $0 } }

    /// Records an entry.
    public func add(_ entry: LogEntry) { lines.withLock { $0.append(entry) } }
}
