import DescantCore
import DescantDesktop
import DescantTesting
import Logging
import Synchronization
import Testing

struct SwiftLogLoggerTests {
    private let lines = Lines()

    private func logger(_ level: Logger.Level, reveals: Bool = false) -> SwiftLogLogger {
        var logger = Logger(label: "test") { _ in Handler(lines: lines) }
        logger.logLevel = level
        return SwiftLogLogger(logger, revealsPersonalValues: reveals)
    }

    @Test func messagesKeepTheirLevels() {
        let logger = logger(.trace)
        logger.debug("a")
        logger.info("b")
        logger.warn("c")
        logger.error("d")
        #expect(lines.all == ["debug Descant a", "info Descant b", "warning Descant c", "error Descant d"])
    }

    @Test func fieldsBecomeMetadata() {
        let event = LogRecord(
            "engine.play", level: .warning, fields: [.engine: "espeak", "text": .personal("Dear diary")])
        logger(.info).record(event)
        logger(.info, reveals: true).record(event)
        #expect(
            lines.all == [
                "warning Descant engine.play engine=espeak text=<private>",
                "warning Descant engine.play engine=espeak text=Dear diary",
            ])
    }

    private static let levels: [(Logger.Level, LogLevel?)] = [(.trace, .debug), (.warning, .warning), (.critical, nil)]

    @Test(arguments: levels) func theContractIsKept(level: Logger.Level, minimum: LogLevel?) throws {
        let contract = LoggerContract(logger(level), minimumLevel: minimum)
        #expect(try contract.findings { lines.take() } == [])
    }

    @Test func messagesBelowTheLevelAreNotEvaluated() {
        func never<Value>(_ value: Value) -> Value {
            Issue.record("evaluated")
            return value
        }
        logger(.warning).info(never("x"))
        logger(.warning).record(LogRecord("x", level: .info))
        logger(.critical).record(never(LogRecord("x", level: .error)))
        #expect(lines.all.isEmpty)
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    /// Takes the lines since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

private struct Handler: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: Logging.LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        lines.add("\(event.level) \(event.source) \(event.message)\(fields.joined())")
    }
}
