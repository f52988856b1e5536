import DescantCore
import DescantTesting
import Testing

struct LogRecordTests {
    private let event = LogRecord(
        "session.activate", level: .warning,
        fields: [.result: "failure", .engine: "espeak", .errorMessage: "no server", "text": .personal("Dear diary")])

    @Test func textHasSortedFieldsAndHidesPersonalValues() {
        #expect(
            event.description
                == #"session.activate engine=espeak errorMessage="no server" result=failure text=<private>"#)
        #expect(event.text(revealing: true).hasSuffix(#"text="Dear diary""#))
    }

    @Test(arguments: ["", "a b", "a\nb", "say \"no\"", "a=b", "\u{1}"])
    func specialCharactersAreQuotedInOneLine(value: String) {
        let text = LogRecord("x", fields: [.reason: .open(value)]).description
        #expect(text == "x reason=\(value.debugDescription)")
        #expect(!text.contains("\n"))
    }

    @Test func loggersWithoutFieldsWriteTheTextAtTheLevel() {
        let logger = PlainLogger()
        (logger as any LoggerPort).record(event)
        #expect(logger.lines.entries.map(\.description) == ["warning: \(event)"])
    }

    @Test func levelsAreOrdered() {
        #expect(LogLevel.allCases.sorted() == [.debug, .info, .warning, .error])
    }

    @Test func messagesForADiscardingLoggerAreNotEvaluated() {
        func never() -> LogRecord {
            Issue.record("evaluated")
            return event
        }
        NoopLogger().record(never())
    }
}

/// A logger of another program with only four methods.
private struct PlainLogger: LoggerPort {
    let lines = RecordingLogger()
    func debug(_ message: @autoclosure () -> String) { lines.debug(message()) }
    func info(_ message: @autoclosure () -> String) { lines.info(message()) }
    func warn(_ message: @autoclosure () -> String) { lines.warn(message()) }
    func error(_ message: @autoclosure () -> String) { lines.error(message()) }
}
