public import DescantCore
internal import Dispatch
internal import Synchronization

/// Checks the rules that every logger must keep; see `LoggerPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#logger-contract -->
/// ```swift
/// let contract = LoggerContract(myLogger, minimumLevel: .info)
/// #expect(try contract.findings() == [])
/// ```
public struct LoggerContract: Sendable {
    private let logger: any LoggerPort
    private let minimumLevel: LogLevel?

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - logger: The logger. It hides personal values.
    ///   - minimumLevel: The least serious level that it writes; `nil` for a logger that writes nothing.
    public init(_ logger: any LoggerPort, minimumLevel: LogLevel?) {
        self.logger = logger
        self.minimumLevel = minimumLevel
    }

    /// Runs every check; some four hundred messages are written.
    ///
    /// - Parameter written: Takes the entries that were written since the last call, each with its message and its fields in one text; `nil`
    ///   where they cannot be read.
    /// - Returns: The broken rules; empty for a logger that keeps the contract.
    /// - Throws: What `written` throws.
    public func findings(written: (() throws -> [String])? = nil) throws -> [ContractFinding] {
        var collector = FindingCollector()
        _ = try written?()
        for level in LogLevel.allCases {
            try checkMessage(level, written, into: &collector)
            try checkRecord(level, written, into: &collector)
        }
        checkThreads(into: &collector)
        return collector.findings
    }

    private func isWritten(_ level: LogLevel) -> Bool { minimumLevel.map { level >= $0 } ?? false }

    private func checkMessage(
        _ level: LogLevel, _ written: (() throws -> [String])?, into collector: inout FindingCollector
    ) throws {
        let (text, evaluations) = ("100 % of a message: \(level)", Evaluations())
        switch level {
        case .debug: logger.debug(evaluations.counting(text))
        case .info: logger.info(evaluations.counting(text))
        case .warning: logger.warn(evaluations.counting(text))
        case .error: logger.error(evaluations.counting(text))
        }
        let count = isWritten(level) ? 1 : 0
        collector.expectEqual(
            evaluations.count, count, "a message is evaluated once when it is written, and not otherwise")
        guard let entries = try written?() else { return }
        collector.expectEqual(
            entries.count, count, "a message is one entry when its level is written, and none otherwise")
        collector.expect(
            entries.allSatisfy { $0.contains(text) }, "an entry has the text of its message", seen: "\(entries)")
    }

    private func checkRecord(
        _ level: LogLevel, _ written: (() throws -> [String])?, into collector: inout FindingCollector
    ) throws {
        let evaluations = Evaluations()
        let record = LogRecord(
            "contract.check", level: level, fields: [.engine: "tone", .errorMessage: .personal("Dear diary")])
        logger.record(evaluations.counting(record))
        // A logger needs an event's level before it knows whether it writes the event.
        collector.expect(
            evaluations.count == 1 || evaluations.count == 0 && !isWritten(level),
            "an event is evaluated once when it is written, and once at most otherwise",
            seen: "\(evaluations.count) evaluations")
        guard let entries = try written?() else { return }
        collector.expectEqual(
            entries.count, isWritten(level) ? 1 : 0,
            "an event is one entry when its level is written, and none otherwise")
        collector.expect(
            entries.allSatisfy { $0.contains("contract.check") && $0.contains("tone") },
            "an entry has the name and the fields of its event", seen: "\(entries)")
        collector.expect(
            entries.allSatisfy { !$0.contains("Dear diary") }, "personal values are hidden", seen: "\(entries)")
    }

    private func checkThreads(into collector: inout FindingCollector) {
        let (logger, evaluations) = (logger, Evaluations())
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<100 { logger.error(evaluations.counting("message \(number) of thread \(thread)")) }
        }
        collector.expectEqual(
            evaluations.count, isWritten(.error) ? 400 : 0, "several threads may log at the same time")
    }
}

/// Counts how often a message is evaluated.
private final class Evaluations: Sendable {
    private let evaluated = Mutex(0)

    var count: Int { evaluated.withLock { $0 } }

    func counting<Value>(_ value: Value) -> Value {
        evaluated.withLock { $0 += 1 }
        return value
    }
}
