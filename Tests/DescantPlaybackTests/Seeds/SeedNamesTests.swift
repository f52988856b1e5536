import Foundation
import Testing

/// Code for the systems whose interface Descant keeps finds every name: here as it was, or in a table that says what it became.
///
/// `Tests/SeedNames` has a list for each of them, one name a line, and the documentation a page with the table.
@Suite struct SeedNamesTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let lists = ["HarmoniaCore", "HarmoniaPlayer", "MusicAssistantKit", "ProsperPlayer", "SpeakTheWeb"]

    private static let declared = Result { try DeclaredNames(in: root.appendingPathComponent("Sources")) }

    @Test func thereIsAListForEachPage() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Tests/SeedNames").path)
        #expect(names.sorted() == Self.lists.map { "\($0).txt" })
    }

    @Test(arguments: lists) func everyNameIsHereOrInTheTable(_ list: String) throws {
        let file = Self.root.appendingPathComponent("Tests/SeedNames/\(list).txt")
        let names = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let declared = try Self.declared.get()
        let page = Self.root.appendingPathComponent("Sources/Descant/Descant.docc/ComingFrom\(list).md")
        let rows = try Self.rows(of: page)
        #expect(names.count > 4 && Set(names).count == names.count)
        for name in names {
            guard let row = rows[name] else {
                #expect(declared.contains(name), "\(list): \(name) is neither declared nor in the table")
                continue
            }
            #expect(!row.reason.isEmpty, "\(list): \(name) has no reason")
            for new in row.new {
                #expect(declared.contains(new), "\(list): \(name) became \(new), which is not declared")
            }
        }
        for old in rows.keys { #expect(names.contains(old), "\(list): the table has \(old), the list has not") }
    }

    /// The rows of a table of old names, new names in code voice, and reasons.
    private static func rows(of page: URL) throws -> [String: (new: [String], reason: String)] {
        var rows: [String: (new: [String], reason: String)] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0] != "old" else { continue }
            let new = cells[1].matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
            rows[cells[0]] = (new, cells[2])
        }
        return rows
    }
}

/// The names that Swift files declare: `Type`, `Type.member`, `Type.method(label:)`. Reads formatted code.
private struct DeclaredNames {
    private var all: Set<String> = []
    /// The lists of labels by the name of the method.
    private var methods: [String: [[Substring]]] = [:]

    /// Whether a name is declared. A method may have further parameters, which have defaults.
    func contains(_ name: String) -> Bool {
        guard let open = name.firstIndex(of: "("), !all.contains(name) else { return all.contains(name) }
        let wanted = name[name.index(after: open)...].dropLast().split(separator: ":")
        return methods[String(name[..<open])]?.contains { labels in
            var left = wanted[...]
            for label in labels where label == left.first { left.removeFirst() }
            return left.isEmpty
        } == true
    }

    init(in folder: URL) throws {
        for case let path as String in FileManager.default.enumerator(atPath: folder.path) ?? .init()
        where path.hasSuffix(".swift") {
            read(try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
        }
    }

    private mutating func read(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var owners: [(indent: Int, name: String)] = []
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let body = line.dropFirst(indent)
            guard !body.isEmpty, !body.hasPrefix("//") else { continue }
            while let last = owners.last, last.indent >= indent { owners.removeLast() }
            let owner = owners.last
            guard owner == nil || indent == (owner?.indent ?? 0) + 4 else { continue }
            let prefix = owner.map { "\($0.name)." } ?? ""
            if let type = body.firstMatch(
                of: #/^[\w\(\)@ ]*?\b(?:actor|class|struct|enum|protocol|extension|typealias) ([A-Z][\w.]*)/#)
            {
                all.insert(prefix + type.output.1)
                owners.append((indent, prefix + type.output.1))
            } else if let member = body.firstMatch(of: #/^[\w\(\)@ ]*?\b(?:var|let|case) `?(\w+)/#) {
                all.insert(prefix + member.output.1)
                if body.hasPrefix("case ") { cases(body, prefix) }
            } else if let function = body.firstMatch(of: #/^[\w\(\)@ ]*?\b(?:func (\w+)|(init))\??[<(]/#) {
                let name = function.output.1 ?? function.output.2 ?? ""
                let labels = labels(lines[index..<min(lines.count, index + 12)])
                all.insert("\(prefix)\(name)(\(labels))")
                methods["\(prefix)\(name)", default: []].append(labels.split(separator: ":"))
            }
        }
    }

    private mutating func cases(_ body: Substring, _ prefix: String) {
        for name in body.matches(of: #/(?:case|,) (\w+)/#) { all.insert(prefix + name.output.1) }
    }

    /// The labels of the parameters that begin in the first line, such as `at:` and `_:`.
    private func labels(_ lines: ArraySlice<String>) -> String {
        var (depth, labels, current) = (0, "", "")
        for character in lines.joined(separator: " ").drop(while: { $0 != "(" }) {
            switch character {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            default: break
            }
            if depth == 0 || (depth == 1 && character == ",") {
                let label = current.trimmingCharacters(in: .whitespaces).prefix { $0 != " " && $0 != ":" }
                if !label.isEmpty { labels += "\(label):" }
                current = ""
                if depth == 0 { return labels }
            } else if depth > 1 || character != "(" {
                current.append(character)
            }
        }
        return labels
    }
}
