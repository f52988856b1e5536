/// Where the library and its plugins write their log.
///
/// Messages are evaluated only if they are written. Any thread may log, except streaming threads: those post
/// values, and whoever receives the value logs it. Plugins must log through this port only: a logging library
/// of their own would be a second copy that the host cannot configure.
public protocol LoggerPort: Sendable {
    /// Details for debugging the library.
    ///
    /// - Parameter message: Evaluated only if it is written.
    func debug(_ message: @autoclosure () -> String)
    /// What happened, for an operator.
    ///
    /// - Parameter message: Evaluated only if it is written.
    func info(_ message: @autoclosure () -> String)
    /// Something unexpected that was dealt with.
    ///
    /// - Parameter message: Evaluated only if it is written.
    func warn(_ message: @autoclosure () -> String)
    /// Something failed and a person may notice.
    ///
    /// - Parameter message: Evaluated only if it is written.
    func error(_ message: @autoclosure () -> String)
    /// Something with fields that programs can read: what the session and the engines do.
    ///
    /// A logger without fields need not implement it: the event's text is then written as a message of its level.
    ///
    /// - Parameter event: Evaluated only if it is written.
    func record(_ event: @autoclosure () -> LogRecord)
}

extension LoggerPort {
    /// Writes the event's text as a message of its level.
    ///
    /// - Parameter event: Evaluated at once, as its level is needed.
    public func record(_ event: @autoclosure () -> LogRecord) {
        let event = event()
        write(event.description, level: event.level)
    }

    /// Writes a message of a level that is known at run time only.
    ///
    /// - Parameters:
    ///   - message: Evaluated only if it is written.
    ///   - level: How serious it is.
    public func write(_ message: @autoclosure () -> String, level: LogLevel) {
        switch level {
        case .debug: debug(message())
        case .info: info(message())
        case .warning: warn(message())
        case .error: error(message())
        }
    }
}

/// Discards every message without evaluating it.
public struct NoopLogger: LoggerPort {
    /// Creates the logger.
    public init() {}
    /// Does nothing.
    ///
    /// - Parameter message: Never evaluated.
    public func debug(_ message: @autoclosure () -> String) {}
    /// Does nothing.
    ///
    /// - Parameter message: Never evaluated.
    public func info(_ message: @autoclosure () -> String) {}
    /// Does nothing.
    ///
    /// - Parameter message: Never evaluated.
    public func warn(_ message: @autoclosure () -> String) {}
    /// Does nothing.
    ///
    /// - Parameter message: Never evaluated.
    public func error(_ message: @autoclosure () -> String) {}
    /// Does nothing.
    ///
    /// - Parameter event: Never evaluated.
    public func record(_ event: @autoclosure () -> LogRecord) {}
}
