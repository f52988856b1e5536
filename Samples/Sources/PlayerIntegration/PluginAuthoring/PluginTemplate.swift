public import Foundation

/// The packages that `descant plugin new` writes: examples of the repository under another name.
public enum PluginTemplate: String, Sendable, CaseIterable {
    /// A decoder of text files that hold a frequency.
    case decoder
    /// An engine that plays a sine through the host's mixer.
    case engine
    /// A speech synthesizer for Morse code.
    case speech
    /// An output that writes samples to a file.
    case output
    /// A reader of tags in text files.
    case tags
    /// A tremolo.
    case effect

    /// The example's name, which the author's name replaces.
    var example: String {
        switch self {
        case .decoder: "Hum"
        case .engine: "Drone"
        case .speech: "Morse"
        case .output: "Tape"
        case .tags: "Liner"
        case .effect: "Sway"
        }
    }

    /// Names that would hide a module or a type that a template uses, such as `Speech`: its voice would be a `SpeechVoice`.
    private static let taken: Set<String> = [
        "Any", "Audio", "Descant", "DescantCore", "DescantPlayback", "DescantTesting", "Device", "Dispatch",
        "Foundation", "Glibc", "Media", "Mixing", "PackageDescription", "Protocol", "Self", "Speech", "Swift",
        "Synchronization", "Testing", "Type",
    ]

    /// The reason why a package cannot have a name; `nil` for a possible one.
    ///
    /// - Parameter name: The name that an author has chosen.
    public static func objection(to name: String) -> String? {
        let isWord = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard isWord, let first = name.first, first.isUppercase, name.utf8.count <= 64 else {
            return
                "\"\(name)\" cannot name a module; use a capital letter, then letters A to Z and digits, 64 at most: Shorten"
        }
        return taken.contains(name) ? "\(name) is the name of a module or type that plugins use; choose another" : nil
    }

    /// Writes the package to a new folder.
    ///
    /// - Parameters:
    ///   - name: The name of the package, the module and the bundle; see ``objection(to:)``.
    ///   - folder: The folder to create.
    ///   - tree: What the package is built against.
    /// - Returns: The files, manifest first.
    /// - Throws: ``InputError`` when the folder exists or cannot be written.
    @discardableResult
    public func write(name: String, to folder: URL, against tree: DescantTree) throws -> [URL] {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: folder.path) else {
            throw InputError(description: "\(folder.path) exists already; nothing was written")
        }
        let (source, tests) = ("Sources/\(example)/\(example).swift", "Tests/\(example)Tests/\(example)Tests.swift")
        do {
            let contents = try [source, tests].map { path in
                let file = tree.examples.appendingPathComponent("\(example)/\(path)")
                return (renamed(path, to: name), renamed(try String(contentsOf: file, encoding: .utf8), to: name))
            }
            return try ([("Package.swift", tree.manifest(of: name))] + contents).map { path, text in
                let file = folder.appendingPathComponent(path)
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
                return file
            }
        } catch {
            throw InputError(description: "\(folder.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Replaces the example's name in its three spellings: `Hum` also at the beginning of longer names, `hum` and `HUM` as words.
    private func renamed(_ text: String, to name: String) -> String {
        let lower = example.lowercased()
        // Identifiers, schemes and file extensions, but not the inside of other words. First, because the new name may contain the old.
        return text.replacing(/[a-z]+/) { $0.output == lower ? name.lowercased() : String($0.output) }
            .replacing("\(example.uppercased())_", with: "\(name.uppercased())_")
            .replacing(example, with: name)
    }
}
