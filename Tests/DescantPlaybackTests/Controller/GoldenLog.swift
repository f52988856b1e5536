import DescantCore
import DescantTesting
import Foundation
import Testing

/// Lists of log records that were looked at once and must not change by accident.
///
/// They lie beside the tests, a line for each record. After a wanted change, `UPDATE_GOLDEN=1 swift test --filter GoldenLogTests`
/// writes them anew; the difference belongs into the commit.
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
