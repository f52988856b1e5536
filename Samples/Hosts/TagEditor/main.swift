import Descant
import Foundation

// Sets and clears fields of a file: TagEditor FILE title=Rain comment=
/// Changes the fields that are named, and keeps everything else. An empty value clears its field.
func edit(_ file: URL, _ edits: [String]) throws {
    let fields: [String: WritableKeyPath<TagBundle, String?>] = [
        "title": \.title, "album": \.album, "comment": \.comment,
    ]
    let tags = try AudioEnvironment.shared.makeTagReaderService().readMetadata(for: file).tags
    var edited = tags
    for edit in edits {
        let parts = edit.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let field = fields[parts[0]] else {
            throw CoreError.invalidArgument("\(edit): write title=…, album=… or comment=…")
        }
        edited[keyPath: field] = parts[1].isEmpty ? nil : parts[1]
    }
    try AudioEnvironment.shared.makeTagWriter().write(url: file, change: TagChange(from: tags, to: edited))
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let path = arguments.first else { throw CoreError.invalidArgument("name a file") }
    let file = URL(fileURLWithPath: path)
    try edit(file, Array(arguments.dropFirst()))
    let tags = try AudioEnvironment.shared.makeTagReaderService().readMetadata(for: file).tags
    for (name, value) in [("title", tags.title), ("album", tags.album), ("comment", tags.comment)] {
        print("\(name): \(value ?? "-")")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
