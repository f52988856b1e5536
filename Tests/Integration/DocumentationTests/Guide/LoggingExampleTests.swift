import Descant
import DescantTesting
import Foundation
import Logging
import Synchronization
import Testing

/// The host has a copy of swift-log, and so has the library: what the library logs still reaches the host's handler.
@Suite struct LoggingExampleTests {
    @Test func libraryLogsToTheHostsHandler() throws {
        let folder = try TemporaryDirectory()
        let bundle = folder.url.appending(path: "Broken.descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let lines = Lines()
        let environment = environmentThatLogs(to: Logger(label: "player") { _ in LineHandler(lines: lines) })
        environment.logger.record(LogRecord("session.activate", fields: [.engine: "gstreamer"]))
        let registry = PluginRegistry(searchPath: [folder.url], logger: environment.logger)
        registry.scan()
        #expect(lines.all.first == "info session.activate engine=gstreamer")
        #expect(lines.all.dropFirst().contains { $0.hasPrefix("warning ") && $0.contains("Broken.descantplugin") })
    }

    @Test func theJournalExampleIsSilentWithoutAJournal() {
        environmentThatLogsToTheJournal().logger.info("a test of the guide's example")
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct LineHandler: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).map { " \($0.key)=\($0.value)" }.sorted().joined()
        lines.add("\(event.level) \(event.message)\(fields)")
    }
}
