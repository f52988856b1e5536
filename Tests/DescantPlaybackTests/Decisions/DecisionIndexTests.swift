import Foundation
import Testing

/// Checks the test names in docs/player-decisions.md and docs/faults.md.
struct DecisionIndexTests {
    private let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// The documents, and how many rows they have at least.
    @Test(arguments: [("player-decisions", 40), ("faults", 25)])
    func everyNamedTestExists(document: String, least: Int) throws {
        let index = try String(contentsOf: root.appending(path: "docs/\(document).md"), encoding: .utf8)
        let rows = index.split(separator: "\n").filter {
            $0.hasPrefix("|") && !$0.hasPrefix("|---") && !$0.hasSuffix("| tests |")
        }
        let suites = try ["Tests", "Samples"].map { try sources(below: root.appending(path: $0)) }
            .reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        var proven = 0
        for row in rows {
            let names = row.matches(of: /`([A-Z]\w*Tests)\.(\w+)`/)
            for name in names {
                let source = suites["\(name.1).swift"]
                let exists = source?.contains("func \(name.2)(") == true
                #expect(exists, "\(name.1).\(name.2)")
            }
            if !names.isEmpty { proven += 1 }
        }
        #expect(proven == rows.count && proven >= least)
    }

    private func sources(below folder: URL) throws -> [String: String] {
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: [String: String] = [:]
        for case let file as URL in files {
            if file.lastPathComponent == ".build" { files.skipDescendants() }
            guard file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
            found[file.lastPathComponent, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        return found
    }
}
