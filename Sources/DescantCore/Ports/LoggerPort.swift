/// Where the library and its plugins write their log.
///
/// Messages are evaluated only if they are written. Any thread may log, except streaming threads: those post
/// values, and whoever receives the value logs it. Plugins must log through this port only: a logging library
/// of their own would be a second copy that the host cannot configure.
public protocol LoggerPort: Sendable {
    /// Details for whoever debugs the library.
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
}
