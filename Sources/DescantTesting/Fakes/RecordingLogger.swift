public import DescantCore
internal import Synchronization

/// A logger that keeps every message for a test to look at.
///
/// Callable from any thread.
public final class RecordingLogger: LoggerPort {
    /// How serious a message is.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Details for whoever debugs the library.
        case debug
        /// What happened.
        case info
        /// Something unexpected that was dealt with.
        case warn
        /// Something failed.
        case error
    }

    /// A message with its level.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// How serious it is.
        public var level: Level
        /// What was logged.
        public var message: String

        /// "warn: …".
        public var description: String { "\(level.rawValue): \(message)" }
    }

    private let recorded = Mutex<[Entry]>([])

    /// Creates a logger without messages.
    public init() {}

    /// Everything that was logged, in order.
    public var entries: [Entry] { recorded.withLock { $0 } }

    /// The messages of one level, in order.
    ///
    /// - Parameter level: The level.
    public func messages(_ level: Level) -> [String] { entries.filter { $0.level == level }.map(\.message) }

    /// Forgets what was logged.
    public func clear() { recorded.withLock { $0 = [] } }

    /// Records a message.
    ///
    /// - Parameter message: The message.
    public func debug(_ message: @autoclosure () -> String) { record(.debug, message()) }

    /// Records a message.
    ///
    /// - Parameter message: The message.
    public func info(_ message: @autoclosure () -> String) { record(.info, message()) }

    /// Records a message.
    ///
    /// - Parameter message: The message.
    public func warn(_ message: @autoclosure () -> String) { record(.warn, message()) }

    /// Records a message.
    ///
    /// - Parameter message: The message.
    public func error(_ message: @autoclosure () -> String) { record(.error, message()) }

    private func record(_ level: Level, _ message: String) {
        recorded.withLock { $0.append(Entry(level: level, message: message)) }
    }
}
