import Foundation
import Testing

/// Checks the test names in docs/player-decisions.md, docs/faults.md and docs/measurements.md.
struct DecisionIndexTests {
    private let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// The documents, and how many rows they have at least.
    @Test(arguments: [("player-decisions", 40), ("faults", 25)])
    func everyNamedTestExists(document: String, least: Int) throws {
        let index = try String(contentsOf: root.appending(path: "docs/\(document).md"), encoding: .utf8)
        let rows = index.split(separator: "\n").filter {
            $0.hasPrefix("|") && !$0.hasPrefix("|---") && !$0.hasSuffix("| tests |")
        }
        let suites = try suites()
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

    /// A name in its table is that of a suite or of a test; an ellipsis stands for a part of it. One row names a script.
    @Test func everyMeasurementNamesItsTest() throws {
        let page = try String(contentsOf: root.appending(path: "docs/measurements.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").drop { !$0.hasSuffix("| test |") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        let suites = try suites()
        let tests = suites.values.flatMap { $0.matches(of: /func (\w+)\(/).map(\.1) }
        for row in rows {
            let cell = row.split(separator: "|").last ?? ""
            let names = cell.matches(of: /`([\w…]+)`/).map(\.1)
            for name in names {
                let parts = name.split(separator: "…")
                let isTest = tests.contains { test in
                    name == test
                        || name.contains("…") && test.hasPrefix(parts[0]) && parts.allSatisfy { test.contains($0) }
                }
                #expect(isTest || suites["\(name).swift"] != nil, "\(name)")
            }
            #expect(!names.isEmpty || cell.contains("`Scripts/"), "\(row)")
        }
        #expect(rows.count >= 18)
    }

    private func suites() throws -> [String: String] {
        try ["Tests", "Samples"].map { try sources(below: root.appending(path: $0)) }
            .reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
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
