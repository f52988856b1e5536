import DescantCore
import DescantTesting
import Foundation
import Testing

/// Stored lists of log records that were reviewed and must not change by accident.
///
/// The files are beside the tests, with one line per record. After a wanted change, `UPDATE_GOLDEN=1 swift test --filter
/// GoldenLogTests` writes them again; commit the difference.
enum GoldenLog {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    /// Compares a log, field by field.
    static func check(_ log: RecordingLogger, _ scenario: String, at location: SourceLocation = #_sourceLocation) throws
    {
        let file = folder.appendingPathComponent("\(scenario).log")
        let seen = log.events.map { "\($0.level.rawValue) \($0.text(revealing: true))" }
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try Data((seen.joined(separator: "\n") + "\n").utf8).write(to: file)
            return
        }
        let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        for (index, line) in golden.enumerated() where index >= seen.count || seen[index] != line {
            let other = index < seen.count ? seen[index] : "nothing"
            Issue.record(
                "\(file.path):\(index + 1)\n  expected \(line)\n  seen     \(other)\nUPDATE_GOLDEN=1 writes the file anew",
                sourceLocation: location)
            return
        }
        #expect(
            seen.count == golden.count, "\(file.path) ends before the log: \(seen.last ?? "")", sourceLocation: location
        )
    }
}
