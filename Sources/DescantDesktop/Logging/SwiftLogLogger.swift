public import DescantCore
public import Logging

/// Writes the library's log to a logger of swift-log that the host has created and configured.
///
/// The library contains its own copy of swift-log, so the host's settings of `LoggingSystem` do not reach it. It never creates a
/// logger and never bootstraps; it writes to the given logger, and thereby to the host's handler.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#logger -->
/// ```swift
/// LoggingSystem.bootstrap(StreamLogHandler.standardError)
/// let environment = AudioEnvironment(logger: SwiftLogLogger(Logger(label: "org.example.player")))
/// ```
///
/// Callable from any thread if the handler is. Fields become metadata of the same names.
public struct SwiftLogLogger: LoggerPort {
    /// The source of every message in swift-log.
    private static let source = "Descant"

    private let logger: Logger
    private let revealsPersonalValues: Bool

    /// Wraps a logger.
    ///
    /// - Parameters:
    ///   - logger: The host's logger; its level decides what is evaluated.
    ///   - revealsPersonalValues: Whether file names, spoken texts and the like are written. Otherwise ``LogValue/redaction``
    ///     replaces them.
    public init(_ logger: Logger, revealsPersonalValues: Bool = false) {
        self.logger = logger
        self.revealsPersonalValues = revealsPersonalValues
    }

    /// Writes at level `debug`.
    ///
    /// - Parameter message: Evaluated only if the logger's level is `debug` or lower.
    public func debug(_ message: @autoclosure () -> String) {
        logger.debug("\(message())", source: Self.source)
    }

    /// Writes at level `info`.
    ///
    /// - Parameter message: Evaluated only if the logger's level is `info` or lower.
    public func info(_ message: @autoclosure () -> String) {
        logger.info("\(message())", source: Self.source)
    }

    /// Writes at level `warning`.
    ///
    /// - Parameter message: Evaluated only if the logger's level is `warning` or lower.
    public func warn(_ message: @autoclosure () -> String) {
        logger.warning("\(message())", source: Self.source)
    }

    /// Writes at level `error`.
    ///
    /// - Parameter message: Evaluated only if the logger's level is `error` or lower.
    public func error(_ message: @autoclosure () -> String) {
        logger.error("\(message())", source: Self.source)
    }

    /// Writes the event's name as the message and its fields as metadata.
    ///
    /// - Parameter event: Evaluated unless the logger's level is `critical`.
    public func record(_ event: @autoclosure () -> LogRecord) {
        guard logger.logLevel <= .error else { return }
        let event = event()
        logger.log(
            level: Self.level(event.level), "\(event.name)", metadata: metadata(of: event), source: Self.source)
    }

    private func metadata(of event: LogRecord) -> Logger.Metadata {
        let pairs = event.fields.map { field, value in
            (field.rawValue, Logger.MetadataValue.string(value.text(revealing: revealsPersonalValues)))
        }
        return Logger.Metadata(pairs) { first, _ in first }
    }

    private static func level(_ level: LogLevel) -> Logger.Level {
        switch level {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
