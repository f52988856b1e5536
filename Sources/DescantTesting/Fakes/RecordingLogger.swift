public import DescantCore
internal import Synchronization

/// A logger that keeps every message for tests.
///
/// Callable from any thread.
public final class RecordingLogger: LoggerPort {
    /// A message with its level.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// The level of the message.
        public var level: LogLevel
        /// The text of the message.
        public var message: String

        /// "warning: …".
        public var description: String { "\(level.rawValue): \(message)" }
    }

    private let recorded = Mutex<[Entry]>([])
    private let structured = Mutex<[LogRecord]>([])
    private let signal = EventHub<Void>(initial: ())

    /// Creates a logger without messages.
    public init() {}

    /// The structured events, in order. Their text is among ``entries`` too.
    public var events: [LogRecord] { structured.withLock { $0 } }

    /// Waits until structured events of a name were recorded.
    ///
    /// - Parameters:
    ///   - name: The name of the events.
    ///   - count: The minimum number of events.
    public func wait(for name: String, count: Int = 1) async {
        let signals = signal.stream(buffer: .newest)
        for await _ in signals {
            if events.count(where: { $0.name == name }) >= count { return }
        }
    }

    /// All messages, in order.
    public var entries: [Entry] { recorded.withLock { $0 } }

    /// The messages of one level, in order.
    ///
    /// - Parameter level: The level.
    public func messages(_ level: LogLevel) -> [String] { entries.filter { $0.level == level }.map(\.message) }

    /// Removes all messages and events.
    public func clear() {
        recorded.withLock { $0 = [] }
        structured.withLock { $0 = [] }
    }

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
    public func warn(_ message: @autoclosure () -> String) { record(.warning, message()) }

    /// Records a message.
    ///
    /// - Parameter message: The message.
    public func error(_ message: @autoclosure () -> String) { record(.error, message()) }

    /// Records an event, and its text as a message.
    ///
    /// - Parameter event: The event.
    public func record(_ event: @autoclosure () -> LogRecord) {
        let event = event()
        structured.withLock { $0.append(event) }
        write(event.description, level: event.level)
        signal.post(())
    }

    private func record(_ level: LogLevel, _ message: String) {
        recorded.withLock { $0.append(Entry(level: level, message: message)) }
    }
}
