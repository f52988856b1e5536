public import MusicAssistantKit
internal import Synchronization

/// Keeps what a client logs.
public final class LogBook: Sendable {
    private let lines = Mutex<[LogEntry]>([])

    /// Creates an empty book.
    public init() {}

    /// Everything so far.
    public var entries: [LogEntry] { lines.withLock { $0 } }

    /// Takes an entry.
    public func add(_ entry: LogEntry) { lines.withLock { $0.append(entry) } }
}
