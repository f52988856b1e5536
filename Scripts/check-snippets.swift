// Code in the documentation is code that compiles: each block that names its file is identical to that file.
// In Markdown, a comment stands before the block: <!-- snippet: PATH -->
// Blocks of Swift without such a comment are refused. `--write` copies the files into the documentation.

import Foundation

/// A block of Swift code in a Markdown file.
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

/// A file's text from `// snippet` to the end, or all of it where there is no such line.
func snippet(_ path: String) throws -> [String] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        .components(separatedBy: "\n")
    guard let mark = lines.firstIndex(of: "// snippet") else { return lines }
    return Array(lines[(mark + 1)...])
}

func documents() -> [String] {
    let folders = ["docs", "Sources/Descant/Descant.docc"]
    let nested = folders.flatMap { folder in
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
    }
    return (["README.md", "CONTRIBUTING.md"] + nested).filter { $0.hasSuffix(".md") }.sorted()
}

let writes = CommandLine.arguments.contains("--write")
var findings: [String] = []
var count = 0
for document in documents() where FileManager.default.fileExists(atPath: document) {
    var lines = try String(contentsOfFile: document, encoding: .utf8).components(separatedBy: "\n")
    for block in blocks(in: lines).reversed() {
        guard let file = block.file else {
            findings.append("\(document):\(block.lines.lowerBound): Swift code without a compiled file behind it")
            continue
        }
        count += 1
        let expected = try snippet(file)
        guard Array(lines[block.lines]) != expected else { continue }
        if writes {
            lines.replaceSubrange(block.lines, with: expected)
        } else {
            let remedy = "update it: swift Scripts/check-snippets.swift --write"
            findings.append("\(document):\(block.lines.lowerBound): differs from \(file); \(remedy)")
        }
    }
    if writes { try lines.joined(separator: "\n").write(toFile: document, atomically: true, encoding: .utf8) }
}
guard findings.isEmpty else {
    print(findings.map { "error: \($0)" }.joined(separator: "\n"))
    exit(1)
}
print("documentation: \(count) blocks of code are files that compile")
