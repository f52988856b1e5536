// Checks that the Swift code of the documentation is compiled, and that the types and the Debian packages it names are right.
//
// - Before each block of Swift code, in an article as in a documentation comment, a comment names a file that some target compiles:
//   <!-- snippet: PATH --> or <!-- snippet: PATH#NAME -->. The block is that file, from its line `// snippet` on if it has one, or
//   the lines between `// snippet: NAME` and `// snippet ends`. `--write` copies the files into the documentation.
// - `TypeName` in code voice, in the articles of the catalogue, is a type of this repository.
// - Scripts/setup.sh installs the Debian packages that manifests, guides and debian/control name; the list for building an app, which
//   begins with `pkg-config`, and that for building the packages are complete.

import Foundation

/// A block of Swift code in a Markdown file or a documentation comment.
struct Block {
    let lines: Range<Int>
    let file: String?
}

func blocks(in lines: [String]) -> [Block] {
    var found: [Block] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
        if start == nil, line == "```swift" {
            start = index + 1
        } else if let first = start, line == "```" {
            found.append(Block(lines: first..<index, file: snippetPath(before: first - 1, in: lines)))
            start = nil
        }
    }
    return found
}

func snippetPath(before index: Int, in lines: [String]) -> String? {
    guard let line = lines[..<index].last(where: { !$0.isEmpty }),
        let match = line.wholeMatch(of: #/<!-- snippet: (\S+) -->/#)
    else { return nil }
    return String(match.output.1)
}

/// A file's text from `// snippet` to the end, or all of it where there is no such line; with a name, as in `PATH#NAME`, the part of that
/// name without its indentation; `nil` when there is no such part.
func snippet(_ reference: String) throws -> [String]? {
    let parts = reference.split(separator: "#", maxSplits: 1).map(String.init)
    let lines = try String(contentsOfFile: parts[0], encoding: .utf8).trimmingCharacters(in: .newlines)
        .components(separatedBy: "\n")
    guard parts.count == 2 else {
        return lines.firstIndex(of: "// snippet").map { Array(lines[($0 + 1)...]) } ?? lines
    }
    let mark = "// snippet: \(parts[1])"
    guard let start = lines.firstIndex(where: { $0.hasSuffix(mark) }),
        let end = lines[start...].firstIndex(where: { $0.hasSuffix("// snippet ends") })
    else { return nil }
    let indentation = lines[start].count - mark.count
    return lines[(start + 1)..<end].map { String($0.dropFirst(indentation)) }
}

/// The text before the Markdown in a line of a documentation comment, such as `    /// `; `nil` for other lines.
func commentMark(of line: String) -> String? { line.prefixMatch(of: #/\s*\/\/\/ ?/#).map { String($0.output) } }

func files(below folders: [String], ending suffix: String) -> [String] {
    let nested = folders.flatMap { folder in
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
    }
    return nested.filter { $0.hasSuffix(suffix) && !$0.contains("/.build/") }.sorted()
}

/// The name of every type and target in the repository.
func declaredTypes() throws -> Set<String> {
    let declaration = #/\b(?:struct|class|enum|actor|protocol|typealias|associatedtype)\s+([A-Z]\w*)/#
    var names = Set(try FileManager.default.contentsOfDirectory(atPath: "Sources"))
    for file in files(below: ["Sources", "Plugins", "Samples"], ending: ".swift") {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
    }
    return names
}

/// Names in code voice that look like types: an upper-case letter first, a lower-case one later, no other signs.
func typeNames(in line: String) -> [String] {
    line.matches(of: #/`+([A-Z]\w*[a-z]\w*)`+/#).map { String($0.output.1) }
}

/// The packages in a list of Scripts/setup.sh, such as `play`.
func installed(_ list: String) throws -> Set<String> {
    let script = try String(contentsOfFile: "Scripts/setup.sh", encoding: .utf8)
    let pattern = try Regex("(?m)^\(list)=\\(([^)]*)\\)", as: (Substring, Substring).self)
    guard let match = script.firstMatch(of: pattern) else { return [] }
    return Set(match.output.1.split(whereSeparator: \.isWhitespace).map(String.init))
}

/// The packages that a manifest names for its C modules.
func providers(in manifest: String) throws -> Set<String> {
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    let lists = text.matches(of: #/\.apt\(\[([^\]]*)\]\)/#)
    return Set(lists.flatMap { $0.output.1.matches(of: #/"([^"]+)"/#).map { String($0.output.1) } })
}

/// The names in code voice that are packages of what is compiled or loaded: `libflac-dev`, `gstreamer1.0-libav`.
func packageNames(in text: String) -> Set<String> {
    let spans = text.matches(of: #/`([^`\n]+)`/#).flatMap { $0.output.1.split(separator: " ") }
    let names = spans.map(String.init)
    return Set(names.filter { $0.wholeMatch(of: #/lib[a-z0-9.+-]+-dev|gstreamer1\.0-[a-z-]+/#) != nil })
}

/// The problems of the lists of packages.
func packageFindings() throws -> [String] {
    let tree = try ["play", "build", "desktop"].reduce(into: Set<String>()) { $0.formUnion(try installed($1)) }
    var findings: [String] = []
    func compare(_ place: String, _ names: Set<String>, with expected: Set<String>, of other: String, isComplete: Bool)
    {
        let wrong = names.subtracting(expected).sorted()
        let missing = isComplete ? expected.subtracting(names).sorted() : []
        if !wrong.isEmpty { findings.append("\(place): not in \(other): \(wrong.joined(separator: " "))") }
        if !missing.isEmpty { findings.append("\(place): lacks, from \(other): \(missing.joined(separator: " "))") }
    }
    for manifest in ["Package.swift"] + files(below: ["Plugins", "Samples"], ending: "/Package.swift") {
        compare(manifest, try providers(in: manifest), with: tree, of: "Scripts/setup.sh", isComplete: false)
    }
    for document in ["README.md"] + files(below: ["docs", catalogue], ending: ".md") {
        let text = try String(contentsOfFile: document, encoding: .utf8)
        compare(document, packageNames(in: text), with: tree, of: "Scripts/setup.sh", isComplete: false)
        for list in text.matches(of: #/`pkg-config ([^`\n]+)`/#) {
            let names = Set(list.output.1.split(separator: " ").map(String.init))
            compare(document, names, with: try providers(in: "Package.swift"), of: "Package.swift", isComplete: true)
        }
    }
    let control = try String(contentsOfFile: "debian/control", encoding: .utf8)
    let names = control.firstMatch(of: #/Build-Depends: debhelper-compat \(= \d+\),\n((?: .+,\n)+)/#)
        .map { Set($0.output.1.split(whereSeparator: { " ,\n".contains($0) }).map(String.init)) }
    compare("debian/control", names ?? [], with: tree, of: "Scripts/setup.sh", isComplete: true)
    return findings
}

let writes = CommandLine.arguments.contains("--write")
let catalogue = "Sources/Descant/Descant.docc"
let types = try declaredTypes().union([
    "Data", "URL", "AsyncSequence", "Sendable", "Float32", "Task", "Mutex", "CancellationError",
])
var findings = try packageFindings()
var blockCount = 0
var nameCount = 0
let articles = ["README.md", "CONTRIBUTING.md"] + files(below: ["docs", catalogue], ending: ".md")
for document in articles + files(below: ["Sources", "Plugins", "Samples"], ending: ".swift") {
    let original = try String(contentsOfFile: document, encoding: .utf8).components(separatedBy: "\n")
    var lines = original
    let marks = document.hasSuffix(".swift") ? lines.map(commentMark) : lines.map { _ in "" }
    let texts = zip(lines, marks).map { line, mark in mark.map { String(line.dropFirst($0.count)) } ?? "" }
    for block in blocks(in: texts).reversed() {
        guard let file = block.file else {
            findings.append("\(document):\(block.lines.lowerBound): Swift code without a compiled file behind it")
            continue
        }
        blockCount += 1
        guard let expected = try snippet(file) else {
            findings.append(
                "\(document):\(block.lines.lowerBound): \(file) has no lines `// snippet: NAME` and `// snippet ends`")
            continue
        }
        guard Array(texts[block.lines]) != expected else { continue }
        if writes {
            let mark = marks[block.lines.lowerBound - 1] ?? ""
            lines.replaceSubrange(
                block.lines,
                with: expected.map { $0.isEmpty ? String(mark.reversed().drop { $0 == " " }.reversed()) : mark + $0 })
        } else {
            let remedy = "update it: swift Scripts/check-articles.swift --write"
            findings.append("\(document):\(block.lines.lowerBound): differs from \(file); \(remedy)")
        }
    }
    if writes, lines != original {
        try lines.joined(separator: "\n").write(toFile: document, atomically: true, encoding: .utf8)
    }
    guard document.hasPrefix(catalogue) else { continue }
    for (index, line) in lines.enumerated() {
        nameCount += typeNames(in: line).count
        for name in typeNames(in: line) where !types.contains(name) {
            findings.append("\(document):\(index + 1): no type is called \(name)")
        }
    }
}
guard findings.isEmpty else {
    print(findings.map { "error: \($0)" }.joined(separator: "\n"))
    exit(1)
}
print("documentation: \(blockCount) blocks of code are files that compile, \(nameCount) names are types that exist")
