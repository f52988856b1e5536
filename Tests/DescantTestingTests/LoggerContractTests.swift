import DescantCore
import DescantTesting
import Synchronization
import Testing

/// The contract of loggers, checked on those of the core, on the fake, and on some that break rules. The desktop's loggers have it in their
/// own tests.
@Suite struct LoggerContractTests {
    @Test func aLoggerThatDiscardsKeepsIt() throws {
        #expect(try LoggerContract(NoopLogger(), minimumLevel: nil).findings { [] } == [])
    }

    @Test func theRecordingLoggerKeepsIt() throws {
        let logger = RecordingLogger()
        let contract = LoggerContract(logger, minimumLevel: .debug)
        let found = try contract.findings {
            defer { logger.clear() }
            return logger.entries.map(\.message)
        }
        #expect(found == [])
        #expect(logger.entries.count == 400)
    }

    @Test(arguments: FaultyLogger.Fault.allCases) func brokenRulesAreFound(fault: FaultyLogger.Fault) throws {
        let logger = FaultyLogger(fault)
        let found = try LoggerContract(logger, minimumLevel: .warning).findings { logger.take() }
        #expect(found.contains { $0.rule == fault.rawValue }, "\(found)")
    }

    @Test func aLoggerThatKeepsEveryRuleIsNotBlamed() throws {
        let logger = FaultyLogger(nil)
        #expect(try LoggerContract(logger, minimumLevel: .warning).findings { logger.take() } == [])
    }
}

/// A logger from the level `warning` on that breaks one rule; the raw value is the rule.
final class FaultyLogger: LoggerPort {
    enum Fault: String, CaseIterable, Sendable {
        case eager = "a message is evaluated once when it is written, and not otherwise"
        case twice = "an event is evaluated once when it is written, and once at most otherwise"
        case silent = "a message is one entry when its level is written, and none otherwise"
        case split = "an event is one entry when its level is written, and none otherwise"
        case cut = "an entry has the text of its message"
        case bare = "an entry has the name and the fields of its event"
        case revealing = "personal values are hidden"
        case single = "several threads may log at the same time"
    }

    private let fault: Fault?
    private let entries = Mutex<[String]>([])
    private let written = Mutex(0)

    init(_ fault: Fault?) { self.fault = fault }

    /// Takes the entries since the last call.
    func take() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    func debug(_ message: @autoclosure () -> String) { if fault == .eager { _ = message() } }
    func info(_ message: @autoclosure () -> String) { if fault == .eager { _ = message() } }
    func warn(_ message: @autoclosure () -> String) { add(message()) }
    func error(_ message: @autoclosure () -> String) {
        let number = written.withLock { written in
            written += 1
            return written
        }
        // One that gives up when much is written.
        if fault == .single, number > 10 { return }
        add(message())
    }

    func record(_ event: @autoclosure () -> LogRecord) {
        let event = fault == .twice ? [event(), event()][1] : event()
        guard event.level >= .warning else { return }
        let text = fault == .bare ? event.name : event.text(revealing: fault == .revealing)
        entries.withLock { $0 += fault == .split ? [text, text] : [text] }
    }

    private func add(_ message: String) {
        guard fault != .silent else { return }
        entries.withLock { $0.append(fault == .cut ? String(message.prefix(5)) : message) }
    }
}
